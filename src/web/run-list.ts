import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { RunListEntry } from '../views/page/page-data.ts';
import { describeDamaged, describeRunEntry } from '../views/page/run-entry.ts';
import type { Redact } from './shown-events.ts';

/** The newest runs, and how many older ones there are. */
export interface ListedRuns {
  readonly runs: readonly RunListEntry[];
  readonly more: number;
}

const MOST_RUNS = 200;
/** A run that has ended is read again after this time: somebody may have resumed it. */
const ENDED_MS = 15_000;
const OPEN_MS = 1500;

/** The runs of a store, without credentials; each log is read no more often than it may have changed. */
export class RunList {
  readonly #store: RunStore<FlightEvent>;
  readonly #redact: Redact;
  readonly #known = new Map<string, { readonly entry: RunListEntry; readonly atMs: number }>();
  #reading: Promise<ListedRuns> | null = null;

  constructor(store: RunStore<FlightEvent>, redact: Redact) {
    this.#store = store;
    this.#redact = redact;
  }

  /** Reads the list, once for all who ask at the same time. */
  read(): Promise<ListedRuns> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNow(): Promise<ListedRuns> {
    const ids = await this.#store.list();
    const shown = ids.slice(0, MOST_RUNS);
    for (const known of this.#known.keys()) if (!shown.includes(known)) this.#known.delete(known);
    const runs: RunListEntry[] = [];
    for (const runId of shown) runs.push(await this.#entryOf(runId));
    return { runs, more: ids.length - shown.length };
  }

  async #entryOf(runId: string): Promise<RunListEntry> {
    const known = this.#known.get(runId);
    const isOpen =
      known === undefined || ['running', 'waiting', 'interrupted', 'unfinished'].includes(known.entry.status);
    if (known !== undefined && Date.now() - known.atMs < (isOpen ? OPEN_MS : ENDED_MS)) return known.entry;
    const described = await this.#describe(runId);
    const entry = this.#redact({ ...described }).value as unknown as RunListEntry;
    this.#known.set(runId, { entry, atMs: Date.now() });
    return entry;
  }

  async #describe(runId: string): Promise<RunListEntry> {
    try {
      // In this order: a run that ends in between has its ending in the log.
      const isLeft = !(await this.#store.isHeld(runId));
      return describeRunEntry(await this.#store.read(runId), isLeft);
    } catch (error) {
      return describeDamaged(runId, error instanceof Error ? error.message : String(error));
    }
  }
}
