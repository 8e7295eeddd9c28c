import type { Policy } from '../../src/contracts/policy.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import { given, type Scenario } from '../../src/testing.ts';
import { echoTool, only, task } from './core.ts';

/** The guards of a new run. */
export const GUARDS = { tainted: 'ask', dangerous: 'ask', widened: 'ask' } as const;

const TEXT = {
  type: 'object',
  properties: { value: {}, to: {}, text: {} },
  additionalProperties: false,
} as const;

const page = echoTool('page', { openWorld: true, input: TEXT, argumentKinds: { to: 'url' } });
const file = echoTool('file', {
  effect: 'write',
  idempotent: true,
  input: TEXT,
  argumentKinds: { to: 'path' },
});
const shell = echoTool('shell', { effect: 'write', input: TEXT, argumentKinds: { to: 'command' } });
const send = echoTool('send', { effect: 'irreversible', input: TEXT, argumentKinds: { to: 'recipient' } });
/** Tools of each kind of argument. */
export const tools: readonly Tool[] = [echoTool('echo', { input: TEXT }), page, file, shell, send];

/** A supplied plan under a policy with guards. */
export function run(plan: Json, policy: Partial<Policy> = {}): Scenario {
  const input = { policy: { ...GUARDS, ...policy } } as Partial<TaskInput>;
  return given({ tools, task: task(input), plan });
}

/** Every question that was asked. */
export const questions = (scenario: Scenario): ReturnType<typeof only<'approval.requested'>> =>
  only(scenario.events, 'approval.requested');
