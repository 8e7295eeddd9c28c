import { randomUUID } from 'node:crypto';
import { answerSchema } from '../contracts/asked-answer.ts';
import type { JsonSchema } from '../contracts/schema.ts';
import type { Driver } from '../engine/driver.ts';
import type { EventOf } from '../flight/events.ts';
import { type Json, toPlainJson } from '../kernel/json.ts';
import { effectAsked, isAnsweredBy } from '../run/decide-approval.ts';
import { isOver, type RunState } from '../run/state.ts';
import { type Answer, answerIssues, fitsQuestion, toPayloads } from './answer.ts';
import type { ApprovalAnswer, DriveOptions } from './run-options.ts';

type Question = EventOf<'approval.requested'>;

/** What the answer to the question of an interactive tool must be. */
export function askedFor(state: RunState, { tool, args }: Pick<Question, 'tool' | 'args'>): JsonSchema {
  return answerSchema(args, state.tools.get(tool)?.output);
}

/** Puts the questions of a run to whoever answers in this process; the first answer wins, wherever it comes from. */
export class AskPeople {
  readonly #options: DriveOptions;
  readonly #driver: () => Driver | null;
  readonly #asked = new Map<number, AbortController>();

  constructor(options: DriveOptions, driver: () => Driver | null) {
    this.#options = options;
    this.#driver = driver;
  }

  /** Asks what is not asked yet, and lets go of what is no longer asked. */
  follow(state: RunState): void {
    if (this.#options.approve === undefined || (state.questions.size === 0 && this.#asked.size === 0)) return;
    if (!isOver(state)) for (const question of state.questions.values()) this.#ask(question, state);
    for (const [seq, controller] of this.#asked) {
      if (![...state.questions.values()].some((open) => open.seq === seq)) controller.abort();
    }
  }

  #ask(question: Question, state: RunState): void {
    const { approve, approves } = this.#options;
    const { seq, node, tool, args, call } = question;
    const effect = effectAsked(state, node, tool) ?? 'irreversible';
    const isAnothers = approves !== undefined && !isAnsweredBy(approves, question, effect);
    if (approve === undefined || this.#asked.has(seq) || isAnothers) return;
    const controller = new AbortController();
    this.#asked.set(seq, controller);
    const { taint, dangers } = question;
    const asked = {
      ...{ node, tool, args, question: question.question, effect, signal: controller.signal },
      ...(call === undefined ? {} : { call }),
      ...(question.question === 'answer' ? { answer: askedFor(state, question) } : {}),
      ...(taint === undefined ? {} : { taint }),
      ...(dangers === undefined ? {} : { dangers }),
    };
    void readAnswer(approve(asked)).then((answer) => {
      this.#driver()?.submitFrom((current) => {
        const given = { id: randomUUID(), node, question: seq, ...answer };
        return toPayloads(
          current,
          question.question === 'answer' ? orDenied(current, question, given) : given,
        );
      });
    });
  }
}

/** Whoever answers in this process is asked once: what is no answer is a denial. */
function orDenied(state: RunState, question: Question, given: Answer): Answer {
  const issues = answerIssues(state, given).flatMap((part) => part.issues.map(({ message }) => message));
  if (issues.length === 0 && fitsQuestion(question, given)) return given;
  const { id, node, question: seq, by } = given;
  const reason =
    issues.length === 0 ? 'no answer was given' : `no such answer is asked for: ${issues.join('; ')}`;
  return { id, node, question: seq, decision: 'denied', by, reason };
}

async function readAnswer(
  answering: Promise<ApprovalAnswer>,
): Promise<Omit<Answer, 'id' | 'node' | 'question'>> {
  try {
    const { decision, by, reason, value, next } = await answering;
    return {
      decision,
      by,
      ...(reason === undefined ? {} : { reason }),
      ...(next === undefined ? {} : { next }),
      ...(value === undefined ? {} : { value: toPlainJson(value) as Exclude<Json, object> }),
    };
  } catch (error) {
    const reason = `no answer: ${error instanceof Error ? error.message : String(error)}`;
    return { decision: 'denied', by: 'nobody', reason };
  }
}
