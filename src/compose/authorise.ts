import { answerSchema, readAnswerText } from '../contracts/asked-answer.ts';
import { parseAuthorisation } from '../agent/authorisation.ts';
import type { ApprovalAnswer, ApprovalQuestion } from './run-options.ts';

/** Answers a question of an agent as a person types it: `y`, `y -N`, `n`, or what the agent is to be told instead. */
export type Authorise = (question: ApprovalQuestion) => Promise<string>;

/** Questions that are put once more where nothing was said. */
const MOST_ASKED = 10;

/**
 * A way to answer questions by what a person types. Of a call whose outcome is unknown `y` lets it be made again, `n`
 * says that it was not made and shall not be, and `done` (with a result behind it) that it was.
 */
export function authoriseBy(
  authorise: Authorise,
  by: string,
): (question: ApprovalQuestion) => Promise<ApprovalAnswer> {
  return async (question) => {
    for (let asked = 0; asked < MOST_ASKED; asked++) {
      const answer = await authorise(question);
      if (question.question === 'answer' && answer.trim() !== '')
        return { decision: 'done', by, value: readAnswerText(answerSchema(question.args), answer.trim()) };
      const done = question.question === 'in_doubt' ? /^done\b\s*(.*)$/is.exec(answer.trim()) : null;
      if (done !== null) return { decision: 'done', by, value: done[1] ?? '' };
      const read = parseAuthorisation(answer);
      switch (read.kind) {
        case 'approved':
          return { decision: 'approved', by, ...(read.next === 0 ? {} : { next: read.next }) };
        case 'denied':
          return { decision: 'denied', by };
        case 'feedback':
          return { decision: 'denied', by, reason: read.text };
        case 'unclear':
      }
    }
    return { decision: 'denied', by, reason: 'nothing was said' };
  };
}
