import { BestSlots } from './best-slots.ts';
import type { RowScore } from './vector-index.ts';

/** Where a word stands: slots in ascending order. */
interface Posting {
  slots: Uint32Array;
  count: number;
}

/** Which rows hold which words, to find by the Jaccard index exactly. Rows are added in ascending order. */
export class WordIndex {
  readonly #postings = new Map<number, Posting>();
  readonly #rows: number[] = [];
  /** How many words a row has; 0 where it was removed. */
  readonly #sizes: number[] = [];
  readonly #slots = new Map<number, number>();
  #shared = new Uint16Array(0);

  /** Whether so much was removed that it should be built anew. */
  get isSparse(): boolean {
    return this.#rows.length > 1024 && this.#slots.size < this.#rows.length / 2;
  }

  /** Adds a row with the hashes of its words, each once. */
  add(row: number, words: Uint32Array): void {
    const slot = this.#rows.length;
    this.#slots.set(row, slot);
    this.#rows.push(row);
    this.#sizes.push(words.length);
    for (const word of words) {
      const posting = this.#postings.get(word);
      if (posting === undefined) this.#postings.set(word, { slots: Uint32Array.of(slot), count: 1 });
      else push(posting, slot);
    }
  }

  remove(row: number): void {
    const slot = this.#slots.get(row);
    if (slot === undefined) return;
    this.#slots.delete(row);
    this.#sizes[slot] = 0;
  }

  /** The rows that share words with the query, best first by the Jaccard index. */
  search(words: Uint32Array, limit: number): RowScore[] {
    const shared = this.#countShared(words);
    const best = new BestSlots(limit);
    const sizes = this.#sizes;
    const { length } = sizes;
    for (let slot = 0; slot < length; slot++) {
      const common = shared[slot];
      if (common === undefined || common === 0) continue;
      const size = sizes[slot] ?? 0;
      if (size === 0) continue;
      const score = common / (size + words.length - common);
      if (score >= best.threshold) best.offer(slot, score);
    }
    return best.list().map(({ slot, score }) => ({ row: this.#rows[slot] ?? -1, score }));
  }

  #countShared(words: Uint32Array): Uint16Array {
    if (this.#shared.length < this.#rows.length) {
      this.#shared = new Uint16Array(Math.ceil(this.#rows.length * 1.5));
    }
    const shared = this.#shared.fill(0);
    // A set of more words than 16 bits count would wrap; what follows the first 65 535 says nothing more.
    for (const word of words.subarray(0, 65_535)) {
      const posting = this.#postings.get(word);
      if (posting === undefined) continue;
      const { slots, count } = posting;
      for (let index = 0; index < count; index++) {
        const slot = slots[index] ?? 0;
        shared[slot] = (shared[slot] ?? 0) + 1;
      }
    }
    return shared;
  }
}

function push(posting: Posting, slot: number): void {
  if (posting.count === posting.slots.length) {
    const larger = new Uint32Array(posting.slots.length * 2);
    larger.set(posting.slots);
    posting.slots = larger;
  }
  posting.slots[posting.count++] = slot;
}
