import { textWidth, toOneLine } from '../../views/text-width.ts';
import type { FlightEvent, ModelDelta } from '../../index.ts';

/** Characters that are kept of each answer: more than any terminal is wide. */
const KEPT_CHARS = 1000;

/** The ends of answers that are being streamed. What a call said is let go of when the call has ended. */
export class AnswerTails {
  readonly #tails = new Map<string, { readonly owner: string; text: string }>();

  /** Takes up the next piece of an answer. */
  add({ key, node, text }: ModelDelta): void {
    const tail = this.#tails.get(key) ?? { owner: node ?? key, text: '' };
    tail.text = (tail.text + text).slice(-KEPT_CHARS);
    this.#tails.set(key, tail);
  }

  /** Drops the answers of calls that an event ends. */
  follow(event: FlightEvent): void {
    if (event.type === 'model.answered' || event.type === 'model.failed') this.#tails.delete(event.key);
  }

  /**
   * As much of the end of an answer as so many columns hold: of the latest that a node, or a call of the run itself
   * (by its key), waits for; empty where there is none.
   */
  endOf(owner: string, columns: number): string {
    let latest = '';
    for (const tail of this.#tails.values()) if (tail.owner === owner) latest = tail.text;
    return lastColumns(toOneLine(latest), columns);
  }
}

function lastColumns(text: string, columns: number): string {
  let kept = '';
  let width = 0;
  for (const character of Array.from(text).toReversed()) {
    width += textWidth(character);
    if (width > columns) break;
    kept = character + kept;
  }
  return kept;
}
