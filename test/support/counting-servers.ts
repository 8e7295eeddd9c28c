/* Three servers, each of which writes down what is asked of it. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskValue } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { byRole } from './composed.ts';
import { plan } from './core.ts';

const COUNTING = fileURLToPath(new URL('../fixtures/mcp/counting-server.mjs', import.meta.url));
const NAMES = ['a', 'b', 'c'] as const;

/** What is asked of a server that is started, and whose tools are not called. */
export const LISTED = 'start list';

/** The settings of a server that counts; from its second start on it may be another, as the mode says. */
export const counting = (name: string, more: object = {}, mode = 'plain') => ({
  ...{ command: process.execPath, args: [COUNTING, name, mode], effect: 'read' as const, openWorld: false },
  ...more,
});

/** A task with the three servers, or others in their place. */
export function countingTask(more: Partial<TaskValue> = {}, servers: TaskValue['mcp'] = {}): TaskValue {
  const mcp = { ...Object.fromEntries(NAMES.map((name) => [name, counting(name)])), ...servers };
  const limits = { replans: 0, attempts: 1, backoffMs: 1 };
  return { ...{ name: 'late', goal: 'Go.', verify: { judge: 'off' }, limits, mcp }, ...more };
}

/** What was asked of each server that works in a folder. */
export function askedIn(folder: string): Record<string, string> {
  const words = NAMES.map((name): [string, string] => {
    const file = join(folder, name);
    return [name, existsSync(file) ? readFileSync(file, 'utf8').trim() : ''];
  });
  return Object.fromEntries(words);
}

/** Forgets what was asked, and so how often they were started. */
export function forgetAsked(folder: string): void {
  for (const name of NAMES) rmSync(join(folder, name), { force: true });
}

/** A provider that draws these plans, one after the other, and what its planner was shown. */
export function drawing(...plans: readonly (readonly Json[])[]) {
  const seen: string[] = [];
  const draw = (request: object): string => {
    seen.push(JSON.stringify(request));
    return JSON.stringify(plan(...(plans[seen.length - 1] ?? [])));
  };
  return { ...byRole({ planner: draw, replanner: draw }), seen };
}
