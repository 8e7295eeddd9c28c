import type { ToolEffect } from '../contracts/tool.ts';
import type { EventOf } from '../flight/events.ts';
import type { Decision } from './effects.ts';
import { finish } from './decide-ending.ts';
import type { RunState } from './state.ts';

/** What a run owes that can only wait for a person: nothing where somebody answers, else its end. */
export function decideWaiting(state: RunState): Decision | null {
  return isAnswered(state) ? null : finish(state, 'waiting', 'a node waits for approval');
}

function isAnswered(state: RunState): boolean {
  const { attended } = state;
  if (typeof attended === 'boolean') return attended;
  for (const { node, question } of state.questions.values()) {
    if (isAnsweredBy(attended, question, state.nodes.get(node)?.tool.effect)) return true;
  }
  return false;
}

/** Whether a standing consent answers a question. */
export function isAnsweredBy(
  consent: 'consent' | 'write',
  question: EventOf<'approval.requested'>['question'],
  effect: ToolEffect | undefined,
): boolean {
  return question === 'consent' && (consent === 'consent' || effect !== 'irreversible');
}

/** True while nobody knows what became of some call. */
export function hasDoubt(state: RunState): boolean {
  for (const { question } of state.questions.values()) if (question === 'in_doubt') return true;
  return false;
}

/** The denial of the first question that nobody answered in time, or null. */
export function decideExpired(state: RunState): Decision | null {
  for (const question of state.questions.values()) {
    if (expiresAt(state, question) > state.now) continue;
    return {
      event: {
        type: 'approval.decided',
        node: question.node,
        argsHash: question.argsHash,
        decision: 'denied',
        by: 'nobody',
        reason: `no answer within ${state.task.policy.approvalTimeoutSeconds ?? 0} s`,
        expired: true,
      },
    };
  }
  return null;
}

/** Time from which a question counts as denied, in epoch milliseconds; Infinity where it never does. */
export function expiresAt(state: RunState, question: EventOf<'approval.requested'>): number {
  const { approvalTimeoutSeconds } = state.task.policy;
  return approvalTimeoutSeconds === undefined ? Infinity : question.at + approvalTimeoutSeconds * 1000;
}

/** The amendment of a node that was asked for when the run was forked. */
export function amendAsForked({ node, args }: RunState['amendmentsOwed'][number]): Decision {
  return {
    event: { type: 'node.amended', node, by: 'person', args, reasons: ['asked for by the fork'] },
  };
}
