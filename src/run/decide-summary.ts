import type { EventPayload } from '../flight/events.ts';
import { SUMMARY_KEY } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { linkFor } from './make-call.ts';
import { decideCall } from './model-request.ts';
import { mayCall } from './modes.ts';
import type { RunState } from './state.ts';
import { wantSummary } from './wanted-calls.ts';

/**
 * What a run owes its memory before it ends well: a question that sums the oldest memories up, where there are too many
 * and nothing presses; `awaited` while it is under way. It is asked once, and nothing depends on its answer.
 */
export function decideSummary(
  state: RunState,
  { status }: Extract<EventPayload, { type: 'run.finished' }>,
): Decision | 'awaited' | null {
  const call = state.calls.get(SUMMARY_KEY);
  if (call !== undefined) {
    const { status: stands } = call;
    return stands === 'running' || stands === 'due' || stands === 'refreshing' ? 'awaited' : null;
  }
  const wanted = wantSummary(state);
  const isWell = status === 'verified' || status === 'unverified';
  if (wanted === null || !isWell || !state.memory.isOn || state.mode !== 'full' || !mayCall(state))
    return null;
  const asked = decideCall(state, wanted, linkFor(state, wanted));
  return asked?.event.type === 'model.requested' ? asked : null;
}
