import { z } from 'zod';
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
});

/** An answer to one question of a run. */
export type Answer = z.infer<typeof answerSchema>;

/** What is wrong with an answer: changed arguments that the tool does not take, or a result that it never gives. */
export function answerIssues(
  state: RunState,
  answer: Answer,
): { part: string; issues: readonly SchemaIssue[] }[] {
  const tool = state.nodes.get(answer.node)?.tool;
  if (tool === undefined) return [];
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
  if (question?.seq !== answer.question || answerIssues(state, answer).length > 0) return [];
  const atRest = isAtRest ? { atRest: true } : {};
  const decided = decidedBy(question, answer);
  if (answer.args === undefined || answer.decision === 'denied') return [{ ...decided, ...atRest }];
  const reasons = [answer.reason ?? `changed by ${answer.by}`];
  return [
    { type: 'node.amended', node: answer.node, by: 'person', args: answer.args, reasons, ...atRest },
    { ...decided, argsHash: hashJson(answer.args), ...atRest },
  ];
}

function decidedBy(
  { node, argsHash }: EventOf<'approval.requested'>,
  { id, decision, by, reason, value = null }: Answer,
): Extract<EventPayload, { type: 'approval.decided' }> {
  return {
    type: 'approval.decided',
    node,
    argsHash,
    decision,
    ...(decision === 'done' ? { value } : {}),
    by,
    ...(reason === undefined ? {} : { reason }),
    answer: id,
  };
}
