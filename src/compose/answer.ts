import { z } from 'zod';
import { answerSchema as askedSchema } from '../contracts/asked-answer.ts';
import { jsonValue } from '../contracts/json-value.ts';
import { type SchemaIssue, schemaIssues } from '../contracts/schema.ts';
import type { EventOf, EventPayload } from '../flight/events.ts';
import { hashJson } from '../kernel/hash.ts';
import type { RunState } from '../run/state.ts';

/** An answer as it is posted to a run. `question` is the sequence of the question: an answer never fits another. */
export const answerSchema = z.strictObject({
  id: z.string(),
  node: z.string(),
  question: z.int().nonnegative(),
  decision: z.enum(['approved', 'denied', 'done']),
  by: z.string(),
  reason: z.string().optional(),
  args: z.record(z.string(), jsonValue).optional(),
  value: jsonValue.optional(),
  next: z.int().nonnegative().max(1000).optional(),
});

/** An answer to one question of a run. */
export type Answer = z.infer<typeof answerSchema>;

/** What is wrong with an answer: changed arguments that the tool does not take, or a result that it never gives. */
export function answerIssues(
  state: RunState,
  answer: Answer,
): { part: string; issues: readonly SchemaIssue[] }[] {
  const asked = state.questions.get(answer.node)?.tool ?? '';
  const tool = state.nodes.get(answer.node)?.tool ?? state.tools.get(asked);
  if (tool === undefined) return [];
  const question = state.questions.get(answer.node);
  if (question?.question === 'answer') {
    if (answer.decision !== 'done') return [];
    const issues = schemaIssues(askedSchema(question.args, tool.output), answer.value ?? null);
    return issues.length === 0 ? [] : [{ part: 'value', issues }];
  }
  const args = answer.args === undefined ? [] : schemaIssues(tool.input, answer.args);
  const value =
    answer.decision === 'done' && tool.output !== undefined
      ? schemaIssues(tool.output, answer.value ?? null)
      : [];
  return [
    { part: 'args', issues: args },
    { part: 'done', issues: value },
  ].filter(({ issues }) => issues.length > 0);
}

/** The events that log an answer; none where its question is no longer open, or the answer does not fit. */
export function toPayloads(state: RunState, answer: Answer, isAtRest = false): EventPayload[] {
  const question = state.questions.get(answer.node);
  if (
    question?.seq !== answer.question ||
    !fitsQuestion(question, answer) ||
    answerIssues(state, answer).length > 0
  )
    return [];
  const atRest = isAtRest ? { atRest: true } : {};
  const decided = decidedBy(question, answer);
  if (answer.args === undefined || answer.decision === 'denied') return [{ ...decided, ...atRest }];
  const reasons = [answer.reason ?? `changed by ${answer.by}`];
  return [
    { type: 'node.amended', node: answer.node, by: 'person', args: answer.args, reasons, ...atRest },
    { ...decided, argsHash: hashJson(answer.args), ...atRest },
  ];
}

/** A plan is approved as it stands, or not; and what was asked is answered, or not. */
export function fitsQuestion(
  { question, call }: Pick<EventOf<'approval.requested'>, 'question' | 'call'>,
  { args, decision }: Pick<Answer, 'args' | 'decision'>,
): boolean {
  // An agent that is to call otherwise is told so, and calls anew.
  if (call !== undefined && args !== undefined) return false;
  if (question === 'answer') return args === undefined && decision !== 'approved';
  return question !== 'plan' || (args === undefined && decision !== 'done');
}

function decidedBy(
  { node, argsHash, call }: EventOf<'approval.requested'>,
  { id, decision, by, reason, value = null, next }: Answer,
): Extract<EventPayload, { type: 'approval.decided' }> {
  return {
    type: 'approval.decided',
    node,
    argsHash,
    decision,
    ...(call === undefined ? {} : { call }),
    ...(call === undefined || next === undefined || next === 0 ? {} : { next }),
    ...(decision === 'done' ? { value } : {}),
    by,
    ...(reason === undefined ? {} : { reason }),
    answer: id,
  };
}
