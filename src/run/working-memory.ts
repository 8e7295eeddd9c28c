import type { WorkingMemory } from '../contracts/memory.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { RunState } from './state.ts';

const MOST_NODES = 30;
const MOST_FAILURES = 5;
const MESSAGE_CHARS = 200;

/** What a run remembers of itself: its goal and inputs, its plan, its last results, its open failures. */
export function workingMemory(state: RunState): WorkingMemory {
  return { goal: state.goal, inputs: state.task.inputs, ...progressOf(state), results: latestResults(state) };
}

/** What of it a question does not hold that has the goal and the results already. */
export function progressOf(state: RunState): Pick<WorkingMemory, 'plan' | 'failures'> {
  const nodes = state.plan?.nodes ?? [];
  const planned = nodes.slice(0, MOST_NODES).map(({ id, tool }) => `${id}: ${tool}`);
  if (nodes.length > MOST_NODES) planned.push(`… and ${nodes.length - MOST_NODES} more`);
  const failures = openFailures(state);
  return {
    ...(planned.length === 0 ? {} : { plan: planned }),
    ...(failures.length === 0 ? {} : { failures }),
  };
}

/** The results that came last, the latest last. */
export function latestResults(state: RunState): JsonObject[] {
  return state.memory.latest.flatMap(({ id, tool, status, value }) =>
    status === 'done' && value !== undefined ? [{ node: id, tool: tool.name, value }] : [],
  );
}

function openFailures(state: RunState): JsonObject[] {
  const past = state.pastFailures.slice(-MOST_FAILURES).map(({ node, tool, code }) => ({ node, tool, code }));
  const open = state.failures.slice(-MOST_FAILURES).map(({ id, tool, failure }) => ({
    node: id,
    tool: tool.name,
    ...(failure === null ? {} : { code: failure.code, message: cutText(failure.message, MESSAGE_CHARS) }),
  }));
  return [...past, ...open].slice(-MOST_FAILURES);
}
