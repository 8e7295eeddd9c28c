import type { Failure } from '../contracts/failure.ts';
import { decideFallback } from './chains.ts';
import { tryKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { finishFailed, finishStopped } from './decide-ending.ts';
import { giveUpVerdict } from './decide-verdict.ts';
import { backoffMs, makeCall } from './make-call.ts';
import { mayCall } from './modes.ts';
import type { ModelCall, RunState } from './state.ts';
import { wantAgain } from './wanted-calls.ts';

/** What open model calls owe: the next decision, `blocked` where one waits for budget, or null. */
export function decideOpenCalls(state: RunState): Decision | 'blocked' | null {
  for (const call of state.openCalls) {
    if (call.status === 'failing') return decideFailedCall(state, call);
    if (call.dueAt > state.now) continue;
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
  const isTriedAgain = call.purpose !== 'final' && mayCall(state);
  if (!isTriedAgain) return giveUp(state, call, failure);
  if (failure.class === 'TRANSIENT' && call.triesHere < limits.attempts) {
    return {
      event: {
        type: 'retry.scheduled',
        key: tryKey(call.id, call.tries),
        delayMs: backoffMs(failure, call.triesHere, call.draw, limits),
      },
    };
  }
  return decideFallback(state, call, failure) ?? giveUp(state, call, failure);
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
    case 'ask':
      return { event: { type: 'ask.failed', key: call.id, failure } };
  }
}
