import type { Failure } from '../contracts/failure.ts';
import type { Task } from '../contracts/task.ts';
import { decideFallback } from './chains.ts';
import { isRecalling } from './decide-recall.ts';
import { tryKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { finishFailed, finishStopped } from './decide-ending.ts';
import { decideJudged, giveUpVerdict } from './decide-verdict.ts';
import { backoffMs, isOutOfTime, makeCall, outOfTime } from './make-call.ts';
import { mayCall } from './modes.ts';
import type { ModelCall, RunState } from './state.ts';
import { wantAgain } from './wanted-calls.ts';

/** What open model calls owe: the next decision, `blocked` where one waits for budget, or null. */
export function decideOpenCalls(state: RunState): Decision | 'blocked' | null {
  for (const call of state.openCalls) {
    if (call.status === 'failing') return decideFailedCall(state, call);
    // What waits for memory holds nothing up.
    if (call.dueAt > state.now || isRecalling(state, call.id)) continue;
    const wanted = wantAgain(state, call);
    if (wanted === null) continue;
    return makeCall(state, wanted) ?? 'blocked';
  }
  return null;
}

function decideFailedCall(state: RunState, call: ModelCall): Decision {
  const failure = call.failure ?? {
    code: 'internal',
    class: 'PERMANENT',
    message: 'failed without a failure',
  };
  const { limits } = state.task;
  const isTriedAgain = call.purpose !== 'final' && call.purpose !== 'summary' && mayCall(state);
  if (!isTriedAgain) {
    // A plan that the budget alone keeps from being asked for again ends the run for its budget.
    const isRefused = call.purpose === 'plan' && state.stop?.by === 'budget' && failure.class === 'TRANSIENT';
    return isRefused ? refuse(call, 'pressure') : giveUp(state, call, failure);
  }
  if (failure.code === 'model_truncated' && canWiden(call, limits)) {
    return { event: { type: 'retry.scheduled', key: tryKey(call.id, call.tries), delayMs: 0 } };
  }
  if (failure.class !== 'TRANSIENT' || call.triesHere >= limits.attempts) {
    return decideFallback(state, call, failure) ?? giveUp(state, call, failure);
  }
  const delayMs = backoffMs(failure, call.triesHere, call.draw, limits);
  if (isOutOfTime(state, delayMs)) {
    return decideFallback(state, call, failure) ?? refuseWait(state, call, outOfTime(failure, delayMs));
  }
  return { event: { type: 'retry.scheduled', key: tryKey(call.id, call.tries), delayMs } };
}

/** A question that set itself a smaller limit than the task does is asked once more with that of the task. */
function canWiden({ ask, isWidened }: ModelCall, { maxOutputTokens }: Task['limits']): boolean {
  return !isWidened && ask?.maxOutputTokens !== undefined && ask.maxOutputTokens < maxOutputTokens;
}

/** No other provider can be asked, and the time is over before this one may be: the budget ends the call. */
function refuseWait(state: RunState, call: ModelCall, failure: Failure): Decision {
  // A judge that was asked in vain is indeterminate; one that the budget refuses leaves the verdict to the checks.
  if (call.purpose === 'judge') return giveUp(state, call, failure);
  return refuse(call, 'wallSeconds');
}

function refuse({ id, role, node }: ModelCall, dimension: string): Decision {
  const asker = node === '' ? {} : { node };
  return { event: { type: 'model.refused', key: id, role, ...asker, dimension } };
}

function giveUp(state: RunState, call: ModelCall, failure: Failure): Decision {
  switch (call.purpose) {
    case 'plan':
      return finishFailed(state, `no plan: ${failure.message}`, failure);
    case 'judge':
      return giveUpVerdict(state, `the judge could not be asked: ${failure.message}`);
    case 'repair': {
      const node = state.nodes.get(call.node);
      return { event: { type: 'node.failed', node: call.node, failure: node?.failure ?? failure } };
    }
    case 'final':
      return finishStopped(state, null);
    case 'summary':
      return decideJudged(state);
    case 'ask':
    case 'agent':
      return { event: { type: 'ask.failed', key: call.id, failure } };
  }
}
