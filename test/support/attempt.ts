import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PlanNode } from '../../src/contracts/plan.ts';
import { orchestrate, type RunResult, type TaskValue } from '../../src/index.ts';
import { temporaryFolder } from './flight-events.ts';

/** A provider that is asked nothing. */
export const MOCK = "import { defineMock } from 'sortie';\nexport default defineMock({ roles: {} });\n";

/** A workspace with a task of a mock, and what it holds beside; real paths. */
export function makeWorkspace(files: Readonly<Record<string, string>>): string {
  const workspace = realpathSync(temporaryFolder());
  for (const [path, content] of Object.entries({ 'mock.ts': MOCK, ...files })) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  return workspace;
}

interface Attempt {
  readonly workspace: string;
  readonly runsFolder: string;
  readonly nodes: readonly PlanNode[];
  readonly task?: Partial<TaskValue>;
}

/** Runs a task of the plan that these nodes make. */
export function attempt({ workspace, runsFolder, nodes, task = {} }: Attempt): Promise<RunResult> {
  const tools = [...new Set(nodes.map(({ tool }) => tool))];
  return orchestrate({
    task: {
      ...{ name: 'attempt', goal: 'Try it.', tools, provider: './mock.ts', verify: { judge: 'off' } },
      ...{ memory: { enabled: false }, limits: { replans: 0 }, policy: { dangerous: 'allow' }, ...task },
    },
    ...{ workspace, runsFolder, runId: 'r1' },
    plan: JSON.stringify({ nodes, output: nodes.at(-1)?.id }),
  });
}

/** A node that depends on none where it does not say so. */
export const node = (id: string, call: Omit<PlanNode, 'id' | 'deps'> & { deps?: string[] }): PlanNode => ({
  ...{ id, deps: [] },
  ...call,
});
/** The node `code`: a command that may fail. */
export const shell = (command: string): PlanNode =>
  node('code', { tool: 'shell', args: { command, allowFailure: true } });
