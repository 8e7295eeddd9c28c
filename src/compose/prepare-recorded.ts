import type { Task } from '../contracts/task.ts';
import type { Tool } from '../contracts/tool.ts';
import { isModulePath } from '../config/load.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { BUILTIN_TOOL_NAMES } from '../tools/builtin/names.ts';
import { type PreparationSources, type Prepared, type PrepareOptions, prepareLoaded } from './prepare.ts';

/** Loads what a recorded run needs, from its resolved task as it stands; throws `task_invalid` with every problem. */
export async function prepareRecorded(
  { runId, task, goal, workspace }: { runId: string; task: Task; goal: string; workspace: string },
  given: Pick<PrepareOptions, 'tools' | 'provider' | 'env' | 'ownTools'>,
  sources: PreparationSources,
): Promise<Prepared> {
  refuseMissing(runId, task, given.tools ?? []);
  const loaded = {
    task,
    goal,
    folder: workspace,
    problemAt: (path: readonly (string | number)[], message: string, hint?: string) => ({
      override: `run ${runId}, ${path.join('.')}`,
      path: path.join('.'),
      message,
      ...(hint === undefined ? {} : { hint }),
    }),
  };
  return prepareLoaded(loaded, given, sources);
}

/** Tools that were given as code are in no module: whoever resumes has to give them again. */
function refuseMissing(runId: string, task: Task, given: readonly Tool[]): void {
  const known = new Set<string>([...BUILTIN_TOOL_NAMES, ...given.map((tool) => tool.spec.name)]);
  const missing = task.tools.filter((entry) => !isModulePath(entry) && !known.has(entry));
  if (missing.length === 0) return;
  throw new OrchestratorError(
    'tool_unavailable',
    `run ${runId} was started with tools as code: ${missing.join(', ')}`,
    { blame: 'user', hint: 'Resume it from the program that started it, with the same `tools`.' },
  );
}
