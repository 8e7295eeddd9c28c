import type { Failure } from '../contracts/failure.ts';
import type { EventOf } from '../flight/events.ts';
import { interpretFinal, listPartial } from '../worker/finalize.ts';
import type { Decision } from './effects.ts';
import { decideCall } from './model-request.ts';
import { linkFor } from './make-call.ts';
import { wallLeftMs } from './modes.ts';
import { digestOf, hasEnded, type NodeState } from './node-state.ts';
import { foundResults, missingResults, outputNode, soleLeftover } from './results.ts';
import type { RunState } from './state.ts';
import { wantFinal } from './wanted-calls.ts';

type Status = EventOf<'run.finished'>['status'];

/** The next node that can no longer run, as skipped; null when every node has ended (or waits for a person). */
export function decideSkip(state: RunState): Decision | null {
  for (let index = state.blocked.length - 1; index >= 0; index--) {
    const entry = state.blocked[index];
    if (entry !== undefined && !hasEnded(entry.node)) {
      const { node, dependency } = entry;
      return { event: { type: 'node.skipped', node: node.id, reason: 'dependency', dependency } };
    }
  }
  return null;
}

/** The next node that the end of the run keeps from running, as skipped; null when every node has ended. */
export function decideRest(state: RunState): Decision | null {
  const blocked = decideSkip(state);
  if (blocked !== null) return blocked;
  for (let index = state.skipCursor; index < state.order.length; index++) {
    const node = state.order[index] as NodeState;
    if (!hasEnded(node)) return { event: { type: 'node.skipped', node: node.id, reason: 'stopped' } };
  }
  return null;
}

/** The end of a run that may make no more calls: nodes are skipped, what was found is written up. */
export function decideStopped(state: RunState): Decision | null {
  if (state.running.size > 0 || state.runningCalls.size > 0) return null;
  const rest = decideRest(state);
  if (rest !== null) return rest;
  if (state.stop?.by === 'policy') {
    return finishFailed(state, state.stop.reason, {
      code: 'policy_denied',
      class: 'POLICY',
      message: state.stop.reason,
    });
  }
  const call = state.calls.get('final/1');
  const isOwed = foundResults(state).length > 0 && soleLeftover(state) === null;
  if (call === undefined && isOwed && wallLeftMs(state) > 0) {
    const wanted = wantFinal(state);
    const asked = decideCall(state, wanted, linkFor(state, wanted));
    if (asked?.event.type === 'model.requested') return asked;
  }
  if (call?.status === 'running') return null;
  const written = call?.status === 'answered' && call.answer !== null ? interpretFinal(call.answer) : null;
  return finishStopped(state, written);
}

/** The end of a run that its budget stopped, with a text about what was found: written by a model, or listed. */
export function finishStopped(state: RunState, written: string | null): Decision {
  const reason = state.stop?.reason ?? 'the budget is used up';
  return finish(state, 'budget', reason, { partial: written ?? partialOf(state) });
}

/** The end of a run that failed; what was found is listed. Where the critic had refused an output, it is rejected instead. */
export function finishFailed(state: RunState, reason: string, failure: Failure): Decision {
  const { rejected } = state;
  if (rejected !== null) {
    const why = rejected.verdict.reasons.join('; ');
    return {
      event: {
        type: 'run.finished',
        status: 'rejected',
        reason: `${why}; nothing better came of it: ${reason}`,
        output: { node: rejected.node, digest: rejected.digest },
      },
    };
  }
  return finish(state, 'failed', reason, { failure, partial: partialOf(state) });
}

function partialOf(state: RunState): string {
  const left = soleLeftover(state);
  if (left !== null) return left;
  return listPartial({ goal: state.goal, results: foundResults(state), missing: missingResults(state) });
}

/** The end of a run; names the output where its node is done. */
export function finish(
  state: RunState,
  status: Status,
  reason: string,
  extra: { failure?: Failure; partial?: string } = {},
): Decision {
  const output = outputNode(state);
  return {
    event: {
      type: 'run.finished',
      status,
      reason,
      ...extra,
      ...(output?.status === 'done' ? { output: { node: output.id, digest: digestOf(output) } } : {}),
    },
  };
}
