import type { Embedder, Embedding, MemoryEntry, MemoryRecord, MemoryStore } from '../contracts/memory.ts';

/** So many entries are written at once. */
const BATCH = 50;

/** Where to keep memories. */
export interface RecorderOptions {
  readonly store: MemoryStore;
  readonly scope: string;
  readonly embedder: Embedder | null;
}

/** What became of what was recorded. */
export interface RecorderReport {
  readonly kept: number;
  /** How many of them have no vector, because it could not be had. */
  readonly withoutVector: number;
  readonly warnings: readonly string[];
}

/** Keeps memories without holding up whoever records them. */
export class MemoryRecorder {
  readonly #options: RecorderOptions;
  readonly #warnings = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #kept = 0;
  #withoutVector = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Returns at once; never throws. */
  record(records: readonly MemoryRecord[]): void {
    for (let first = 0; first < records.length; first += BATCH) {
      const batch = records.slice(first, first + BATCH);
      this.#work = this.#work.then(() => this.#keep(batch));
    }
  }

  /** Waits until all that was recorded is kept, or could not be; never throws. */
  async settled(): Promise<RecorderReport> {
    for (let work; work !== this.#work;) await (work = this.#work);
    return { kept: this.#kept, withoutVector: this.#withoutVector, warnings: [...this.#warnings] };
  }

  async #keep(records: readonly MemoryRecord[]): Promise<void> {
    const { store, scope } = this.#options;
    const entries = await this.#embed(records);
    try {
      await store.put(scope, entries);
      this.#kept += entries.length;
      this.#withoutVector += entries.filter(({ embedding }) => embedding === undefined).length;
    } catch (error) {
      this.#warnings.add(`${entries.length} memories were not kept: ${describe(error)}`);
    }
  }

  async #embed(records: readonly MemoryRecord[]): Promise<MemoryEntry[]> {
    const entries: MemoryEntry[] = [];
    // Once it has failed, the rest of the batch does without: each would wait for its own deadline.
    let { embedder } = this.#options;
    for (const record of records) {
      let embedding: Embedding | undefined;
      try {
        embedding = await embedder?.embed(record.text);
      } catch (error) {
        embedder = null;
        this.#warnings.add(`memories were kept without vectors: ${describe(error)}`);
      }
      entries.push({ record, ...(embedding === undefined ? {} : { embedding }) });
    }
    return entries;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
