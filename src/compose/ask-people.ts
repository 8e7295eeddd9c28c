import { randomUUID } from 'node:crypto';
import type { Driver } from '../engine/driver.ts';
import type { EventOf } from '../flight/events.ts';
import { type Json, toPlainJson } from '../kernel/json.ts';
import { isAnsweredBy } from '../run/decide-approval.ts';
import { isOver, type RunState } from '../run/state.ts';
import { type Answer, toPayloads } from './answer.ts';
import type { ApprovalAnswer, DriveOptions } from './run-options.ts';

type Question = EventOf<'approval.requested'>;

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
    const { seq, node, tool, args } = question;
    const effect = state.nodes.get(node)?.tool.effect ?? 'irreversible';
    const isAnothers = approves !== undefined && !isAnsweredBy(approves, question.question, effect);
    if (approve === undefined || this.#asked.has(seq) || isAnothers) return;
    const controller = new AbortController();
    this.#asked.set(seq, controller);
    const asked = { node, tool, args, question: question.question, effect, signal: controller.signal };
    void readAnswer(approve(asked)).then((answer) => {
      this.#driver()?.submitFrom((current) =>
        toPayloads(current, { id: randomUUID(), node, question: seq, ...answer }),
      );
    });
  }
}

async function readAnswer(
  answering: Promise<ApprovalAnswer>,
): Promise<Omit<Answer, 'id' | 'node' | 'question'>> {
  try {
    const { decision, by, reason, value } = await answering;
    return {
      decision,
      by,
      ...(reason === undefined ? {} : { reason }),
      ...(value === undefined ? {} : { value: toPlainJson(value) as Exclude<Json, object> }),
    };
  } catch (error) {
    const reason = `no answer: ${error instanceof Error ? error.message : String(error)}`;
    return { decision: 'denied', by: 'nobody', reason };
  }
}
