import type { EventOf } from '../flight/events.ts';
import type { RunState } from './state.ts';

/** Folds a question about a replan that reaches further, or its answer; false for those about a call. */
export function evolveWidened(
  state: RunState,
  event: EventOf<'approval.requested'> | EventOf<'approval.decided'>,
): boolean {
  if (event.type === 'approval.requested') {
    if (event.question !== 'plan') return false;
    state.planning.widening = { id: event.node, hash: event.argsHash, status: 'open' };
    state.questions.set(event.node, event);
    return true;
  }
  const { widening } = state.planning;
  if (widening?.id !== event.node || event.call !== undefined) return false;
  state.questions.delete(event.node);
  const status = event.decision === 'approved' ? 'approved' : 'denied';
  state.planning.widening = { ...widening, status };
  return true;
}
