import { countAgentCalls } from './crew-state.ts';
import type { Decision } from './effects.ts';
import type { RunState } from './state.ts';

/** What a cancelled run owes: an end for each node under way, and its own once nothing runs. */
export function decideCancelled(state: RunState): Decision | null {
  const aborted = state.failing.find((node) => node.failure?.code === 'aborted');
  if (aborted !== undefined) {
    return { event: { type: 'node.cancelled', node: aborted.id, attempt: aborted.attempt } };
  }
  const plain = state.running.size - state.agentNodes.size;
  if (plain > 0 || countAgentCalls(state) > 0 || state.runningCalls.size > 0) return null;
  return { event: { type: 'run.interrupted' } };
}
