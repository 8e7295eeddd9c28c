import { type CallMarks, isMarked } from '../contracts/policy/call-marks.ts';
import type { ToolEffect } from '../contracts/tool.ts';
import type { EventOf } from '../flight/events.ts';
import type { Decision } from './effects.ts';
import { finish } from './decide-ending.ts';
import type { RunState } from './state.ts';

/** What a run owes that can only wait for a person: nothing where somebody answers, else its end. */
export function decideWaiting(state: RunState): Decision | null {
  if (isAnswered(state)) return null;
  const questions = [...state.questions.values()];
  const isAsked = questions.length > 0 && questions.every(({ question }) => question === 'answer');
  return finish(state, 'waiting', isAsked ? 'a node waits for an answer' : 'a node waits for approval');
}

function isAnswered(state: RunState): boolean {
  const { attended } = state;
  if (typeof attended === 'boolean') return attended;
  for (const question of state.questions.values()) {
    const effect = effectAsked(state, question.node, question.tool);
    if (isAnsweredBy(attended, question, effect)) return true;
  }
  return false;
}

/** What the call does that is asked about, be it a node's or an agent's. */
export function effectAsked(state: RunState, node: string, tool: string): ToolEffect | undefined {
  return (state.nodes.get(node)?.tool ?? state.tools.get(tool))?.effect;
}

/** Whether a standing consent answers a question; one for writes does not where the call has marks. */
export function isAnsweredBy(
  consent: 'consent' | 'write',
  question: Pick<EventOf<'approval.requested'>, 'question' | 'taint' | 'dangers'>,
  effect: ToolEffect | undefined,
): boolean {
  if (question.question === 'in_doubt' || question.question === 'answer') return false;
  if (consent === 'consent') return true;
  return question.question === 'consent' && effect !== 'irreversible' && !isMarked(question as CallMarks);
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
        ...(question.call === undefined ? {} : { call: question.call }),
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
