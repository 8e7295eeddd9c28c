/** The most that is kept of the output of one program; what is older is let go. */
const KEPT_BYTES = 256 * 1024;

/** Most that one look gives. */
const MOST_READ_BYTES = 64 * 1024;

/** What a program writes while it runs, in the order in which it comes, with places counted in bytes. */
export class RollingOutput {
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #total = 0;
  readonly #waiting = new Set<() => void>();

  constructor(streams: readonly NodeJS.ReadableStream[]) {
    for (const stream of streams) {
      stream.on('data', (piece: Buffer | string) => this.#take(Buffer.from(piece)));
      stream.on('error', () => undefined);
    }
  }

  /** How many bytes have come so far. */
  get total(): number {
    return this.#total;
  }

  /** What stands after a place, and the place after that. */
  read(after: number): { output: string; next: number; isCut: boolean } {
    const kept = this.#all();
    const first = this.#total - kept.length;
    const from = Math.min(Math.max(after, first), this.#total);
    const piece = kept.subarray(from - first, from - first + MOST_READ_BYTES);
    return { output: piece.toString('utf8'), next: from + piece.length, isCut: after < first };
  }

  includes(text: string): boolean {
    return this.#all().includes(text);
  }

  /** Resolves when something stands after a place, after some time, or with the other promise. */
  async waitFor(after: number, waitMs: number, signal: AbortSignal, other: Promise<unknown>): Promise<void> {
    if (this.#total > after || waitMs <= 0 || signal.aborted) return;
    let end = (): void => undefined;
    const waited = new Promise<void>((resolve) => {
      end = resolve;
    });
    const timer = setTimeout(end, waitMs);
    this.#waiting.add(end);
    signal.addEventListener('abort', end, { once: true });
    void other.then(end);
    await waited;
    clearTimeout(timer);
    this.#waiting.delete(end);
    signal.removeEventListener('abort', end);
  }

  #all(): Buffer {
    const all = Buffer.concat(this.#kept);
    return all.subarray(Math.max(0, all.length - KEPT_BYTES));
  }

  #take(piece: Buffer): void {
    this.#total += piece.length;
    this.#kept.push(Buffer.from(piece));
    this.#keptBytes += piece.length;
    if (this.#keptBytes > 2 * KEPT_BYTES) {
      this.#kept = [Buffer.from(this.#all())];
      this.#keptBytes = this.#kept[0]?.length ?? 0;
    }
    for (const wake of this.#waiting) wake();
  }
}
