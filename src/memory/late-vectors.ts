import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder, MemoryRecord, MemoryStore } from '../contracts/memory.ts';
import { withDeadline } from './embed-deadline.ts';
import { putVectors } from './put-vectors.ts';

/** Where memories are that are to have vectors, and what makes those. */
export interface LateVectorOptions {
  readonly store: MemoryStore;
  readonly scope: string;
  readonly embedder: Embedder;
}

/** Gives memories that are kept already their vectors while nobody waits for them. */
export class LateVectors {
  readonly #options: LateVectorOptions;
  readonly #embedder: Embedder;
  #until = Number.POSITIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();

  constructor(options: LateVectorOptions, mostMs: number) {
    this.#options = options;
    this.#embedder = withDeadline(options.embedder, () => Math.min(mostMs, this.#until - Date.now()));
  }

  /** Returns at once; never throws. Where one fails the others do without: they are found by their words. */
  add(records: readonly MemoryRecord[]): void {
    this.#work = this.#work.then(() => this.#embedAll(records));
  }

  /** Waits for what was added, for so long at most; never throws. */
  async settled(mostMs: number): Promise<void> {
    this.#until = Date.now() + mostMs;
    const waiting = new AbortController();
    const over = sleep(mostMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.#work, over]);
    waiting.abort();
    this.#until = Number.POSITIVE_INFINITY;
  }

  async #embedAll(records: readonly MemoryRecord[]): Promise<void> {
    const { store, scope } = this.#options;
    try {
      for (const { id, text } of records) {
        await putVectors(store, scope, [{ id, text, embedding: await this.#embedder.embed(text) }]);
      }
    } catch {
      // `orchestrate memory stats` says how many lack one, and the next run that has the model loaded gives it to them.
    }
  }
}
