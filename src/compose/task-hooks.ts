import { resolve } from 'node:path';
import type { HookedCall, HookedOutcome, Hooks } from '../contracts/hooks.ts';
import type { Task } from '../contracts/task.ts';
import type { Tool } from '../contracts/tool.ts';
import { askAfter, askBefore } from '../engine/call-hooks.ts';
import type { CallAsked, RunHooks } from '../engine/perform-hooked.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { ModuleLoader } from '../tools/load.ts';

const NAMES = ['preToolCall', 'postToolCall'] as const;

/** The hooks that the module of a task exports; throws `module_failed` where it exports none, or something else under their names. */
export async function loadHooks(
  task: Pick<Task, 'hooks'>,
  folder: string,
  loader: ModuleLoader,
): Promise<Hooks> {
  if (task.hooks === undefined) return {};
  const file = resolve(folder, task.hooks);
  const exports = await loader.loadAll(file);
  const found = NAMES.filter((name) => Object.hasOwn(exports, name));
  const other = found.find((name) => typeof exports[name] !== 'function');
  if (found.length === 0 || other !== undefined) {
    const what =
      other === undefined
        ? 'exports neither preToolCall nor postToolCall'
        : `exports ${other}, which is no function`;
    throw new OrchestratorError('module_failed', `${file} ${what}`, {
      details: { file },
      hint: 'Export a function preToolCall(call), postToolCall(call, outcome), or both.',
    });
  }
  return Object.fromEntries(found.map((name) => [name, exports[name]]));
}

/** The hooks of the task and those of the program around it, the task's first; undefined where there are none. */
export function runHooks(
  all: readonly (Hooks | undefined)[],
  runId: string,
  findTool: (name: string) => Tool,
): RunHooks | undefined {
  const hooks = all.filter(
    (one): one is Hooks => one?.preToolCall !== undefined || one?.postToolCall !== undefined,
  );
  if (hooks.length === 0) return undefined;
  const hooked = ({ tool, spec = findTool(tool).spec, ...call }: CallAsked): HookedCall => ({
    ...{ runId, ...call },
    tool: spec,
  });
  return {
    passed: new Set(),
    before: async (call) => {
      let args = call.args;
      for (const one of hooks) {
        const said = await askBefore(one, hooked({ ...call, args }));
        if (said.kind === 'blocked') return said;
        if (said.kind === 'changed') args = said.args;
      }
      return args === call.args ? { kind: 'go' } : { kind: 'changed', args };
    },
    after: async (call, outcome, warn) => {
      let last: HookedOutcome = outcome;
      for (const one of hooks) {
        const said = await askAfter(one, hooked(call), last, warn);
        if (said !== undefined && last.ok) last = { ok: true, value: said.value };
      }
      return last.ok && last !== outcome ? { value: last.value } : undefined;
    },
  };
}
