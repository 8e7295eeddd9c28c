import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildGroup } from '../../src/contracts/process.ts';
import type { ToolContext } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { BuiltinSettings } from '../../src/tools/builtin/builtin-settings.ts';
import type { BuiltinToolName } from '../../src/tools/builtin/names.ts';
import { ProcessGroups } from '../../src/tools/processes.ts';
import { findSandbox } from '../../src/tools/sandbox/find-sandbox.ts';
import { callBuiltin } from './builtin-call.ts';

/** Why no program can be confined on this machine, which is warned of; null where it can. */
export async function missingSandbox(): Promise<string | null> {
  const sandbox = await findSandbox();
  if (sandbox.isUsable) return null;
  console.warn(`no sandbox: ${sandbox.reason}`);
  return sandbox.reason;
}

/** A workspace, and a way to call the tools that run programs in it as a run does: what is still alive ends at its end. */
export interface ProgramWorld {
  readonly workspace: string;
  readonly groups: ProcessGroups;
  call(name: BuiltinToolName, args: Json, context?: Partial<ToolContext>): Promise<Json>;
  close(): Promise<void>;
}

export function openProgramWorld(settings: BuiltinSettings = {}): ProgramWorld {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-programs-')));
  const groups = new ProcessGroups();
  const started: ChildGroup[] = [];
  return {
    workspace,
    groups,
    call: (name, args, context = {}) =>
      callBuiltin(
        name,
        args,
        {
          workspace,
          spawn: async (request) => {
            const group = await groups.spawn({ cwd: workspace, ...request });
            started.push(group);
            return group;
          },
          ...context,
        },
        settings,
      ),
    close: () => groups.close(),
  };
}
