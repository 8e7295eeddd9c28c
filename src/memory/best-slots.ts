/** The best of many scored slots, of equal ones the later. */
export class BestSlots {
  readonly #limit: number;
  readonly #kept: { readonly slot: number; readonly score: number }[] = [];
  /** A slot below this score cannot be among the best. */
  threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = Math.max(0, Math.floor(limit));
    if (this.#limit === 0) this.threshold = Number.POSITIVE_INFINITY;
  }

  /** Offers slots in ascending order; a NaN is never kept. */
  offer(slot: number, score: number): void {
    if (!(score >= this.threshold) || this.#limit === 0) return;
    let at = this.#kept.length;
    while (at > 0 && (this.#kept[at - 1]?.score ?? score) <= score) at -= 1;
    this.#kept.splice(at, 0, { slot, score });
    if (this.#kept.length > this.#limit) this.#kept.pop();
    if (this.#kept.length === this.#limit) this.threshold = this.#kept.at(-1)?.score ?? this.threshold;
  }

  /** Best first. */
  list(): readonly { readonly slot: number; readonly score: number }[] {
    return this.#kept;
  }
}
