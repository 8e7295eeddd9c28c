import { z } from 'zod';
import { jsonValue } from '../contracts/json-value.ts';
import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { type AnswerReport, answerQuestion } from './questions.ts';
import { restoreRedacted } from './redact.ts';
import { foldRecorded } from './resume-preview.ts';

/** An answer as a page sends it. `question` is the sequence of the question that the page showed. */
const pageAnswerSchema = z.strictObject({
  node: z.string(),
  question: z.int().nonnegative(),
  decision: z.enum(['approved', 'denied', 'done']),
  reason: z.string().max(10_000).optional(),
  args: jsonValue.optional(),
  value: jsonValue.optional(),
});

/**
 * Answers a question as it was shown on a page, where what looks like a credential was redacted: in changed arguments
 * the texts that the person left as they were are those of the log again. Throws like `answerQuestion`, and
 * `already_decided` where the node asks something else by now.
 */
export async function answerFromPage(
  store: RunStore<FlightEvent>,
  run: string,
  sent: Json,
  by: string,
): Promise<AnswerReport> {
  const parsed = pageAnswerSchema.safeParse(sent);
  if (!parsed.success) {
    throw new OrchestratorError('usage', `that is no answer: ${z.prettifyError(parsed.error)}`);
  }
  const { node, question, decision, reason, args, value } = parsed.data;
  const open = foldRecorded(await store.read(run)).questions.get(node);
  if (open !== undefined && open.seq !== question) {
    throw new OrchestratorError('already_decided', `${node} asks something else by now; look at it again`);
  }
  return answerQuestion(store, run, node, {
    ...{ decision, by },
    ...(reason === undefined || reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(args === undefined ? {} : { args: restoreRedacted(args, open?.args ?? null) }),
    ...(value === undefined ? {} : { value }),
  });
}
