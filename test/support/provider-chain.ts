import type { Failure } from '../../src/contracts/failure.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import type { EventPayload } from '../../src/flight/events.ts';
import { given, type Scenario } from '../../src/testing.ts';
import { askingTool, echoTool, node, only, plan, task } from './core.ts';

/** An overloaded provider. */
export const BUSY: Failure = { code: 'model_overloaded', class: 'TRANSIENT', message: '529' };
/** An exhausted account. */
export const NO_QUOTA: Failure = { code: 'model_quota', class: 'PERMANENT', message: '402' };
/** A refused key. */
export const WRONG_KEY: Failure = { code: 'model_unauthorized', class: 'PERMANENT', message: '401' };
/** A request that is malformed anywhere. */
export const BAD_REQUEST: Failure = { code: 'model_bad_request', class: 'PERMANENT', message: '400' };

/** The first provider, with a command that prints its key. */
export const WITH_COMMAND = { name: 'first', model: 'one', credentialCommand: 'print-key' };
/** Two providers to ask. */
export const CHAIN = [
  { name: 'first', model: 'one' },
  { name: 'second', model: 'two' },
] as const;

/** The input that a model call failed. */
export function failing(key: string, failure: Failure): EventPayload {
  return { type: 'model.failed', key, failure, draw: 0.5 };
}

/** The input that the first provider's key was fetched, or could not be. */
export function refreshed(key: string, failure?: Failure): EventPayload {
  const outcome = failure === undefined ? {} : { failure };
  return { type: 'credential.refreshed', key, provider: 'first', ...outcome };
}

/** The input that a node asks a writer. */
export function asking(id: string, ordinal = 1): EventPayload {
  const request = { prompt: 'p' };
  return { type: 'ask.received', key: `${id}/1/${ordinal}`, node: id, attempt: 1, role: 'writer', request };
}

/** A run whose planner is asked along these providers; a call is tried twice at each. */
export function planned(provider: TaskInput['provider'], settings: Partial<TaskInput> = {}): Scenario {
  const limits = { attempts: 2, backoffMs: 100, cooldownMs: 60_000 };
  return given({ tools: [echoTool()], task: task({ provider, limits, ...settings }) });
}

/** A run in which a node may ask a model: `asking('w')`. */
export function writing(settings: Partial<TaskInput> = {}): Scenario {
  const limits = { attempts: 2, backoffMs: 100, cooldownMs: 60_000 };
  return given({
    tools: [echoTool(), askingTool],
    task: task({ provider: [...CHAIN], limits, ...settings }),
    plan: plan(node('w', { tool: 'write' })),
  });
}

/** Fails the call of that key and lets the delay pass that its retry waits for. */
export function failAndWait(scenario: Scenario, key: string): Scenario {
  return scenario.when(failing(key, BUSY)).after(60_000).when({ type: 'timer.fired' });
}

/** Where each call was made, and with which model. */
export const calls = (scenario: Scenario) =>
  only(scenario.events, 'model.requested').map(({ key, provider, link, model }) => ({
    key,
    at: `${provider}#${link}`,
    model,
  }));
