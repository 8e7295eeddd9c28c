import { resolve } from 'node:path';
import { z } from 'zod';
import type { Task } from '../contracts/task.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import type { TaskPath } from '../config/problem.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeResult } from '../run/results.ts';
import type { ModuleLoader } from '../tools/load.ts';

/** What a function check is given beside the report. */
export interface CheckContext {
  readonly inputs: { readonly [name: string]: Json };
  /** Results that the output node descends from. */
  readonly results: readonly NodeResult[];
}

/** A check of one's own: true where the report holds, else false, or why it does not. */
export type CheckFunction = (report: string, context: CheckContext) => unknown;

const outcomeSchema = z.union([
  z.boolean(),
  z.string(),
  z.strictObject({ ok: z.boolean(), message: z.string().optional() }),
]);

/** The function checks of a task by their place among its checks; `problem` is told of each that cannot be loaded. */
export async function loadFunctionChecks(
  task: Task,
  folder: string,
  loader: ModuleLoader,
  problem: (path: TaskPath, error: OrchestratorError) => void,
): Promise<ReadonlyMap<number, (report: string, context: CheckContext) => Promise<CheckResult>>> {
  const loaded = new Map<number, (report: string, context: CheckContext) => Promise<CheckResult>>();
  for (const [index, check] of task.verify.checks.entries()) {
    if (!('function' in check)) continue;
    const [file = '', name = ''] = check.function.split('#');
    try {
      const found = await loader.loadExport(resolve(folder, file), name);
      if (typeof found !== 'function') {
        throw new OrchestratorError('module_failed', `${check.function} is no function`);
      }
      loaded.set(index, (report, context) =>
        runCheck(check.function, found as CheckFunction, report, context),
      );
    } catch (error) {
      if (!(error instanceof OrchestratorError)) throw error;
      problem(['verify', 'checks', index, 'function'], error);
    }
  }
  return loaded;
}

async function runCheck(
  source: string,
  check: CheckFunction,
  report: string,
  context: CheckContext,
): Promise<CheckResult> {
  const name = `function ${source}`;
  const outcome = outcomeSchema.safeParse(await check(report, context));
  if (!outcome.success) {
    const message = 'returned neither true, false, a text nor { ok, message }';
    return { name, ok: false, message };
  }
  const { data } = outcome;
  if (typeof data === 'boolean') return { name, ok: data, message: data ? 'holds' : 'does not hold' };
  if (typeof data === 'string') return { name, ok: false, message: data };
  return { name, ok: data.ok, message: data.message ?? (data.ok ? 'holds' : 'does not hold') };
}
