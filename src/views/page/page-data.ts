/* What a page carries: the script in it makes everything that it shows out of this. */
import type { FlightEvent } from '../../flight/events.ts';
import type { RunStatus } from '../run-reading.ts';

/** How a page that is served by a process reaches it. */
export interface LiveAddress {
  /** Path of the run below the origin, with the token. */
  readonly base: string;
  /** Path of the list of runs; null where one run alone is served. */
  readonly list: string | null;
}

/** The page of one run. */
export interface RunPageData {
  readonly kind: 'run';
  readonly program: string;
  /** Epoch milliseconds. */
  readonly madeAtMs: number;
  /** Texts in which something was redacted that looks like a credential. */
  readonly redacted: number;
  /** Texts that were cut, because the page would have become too large. */
  readonly cut: number;
  readonly events: readonly FlightEvent[];
  /** No process runs it: without an ending it is unfinished. */
  readonly isLeft: boolean;
  readonly live: LiveAddress | null;
}

/** One run as the list of runs shows it. */
export interface RunListEntry {
  readonly runId: string;
  readonly name: string;
  readonly goal: string;
  /** Its ending; `running` where it has none yet, `unfinished` where no process runs it any more, `damaged` where its log cannot be read. */
  readonly status: RunStatus | 'damaged';
  /** Epoch milliseconds; null where the log cannot be read. */
  readonly startedAtMs: number | null;
  readonly elapsedMs: number;
  /** Null where the price of a model is not known. */
  readonly costMicroUsd: number | null;
  readonly pressure: number;
  readonly questions: number;
  readonly nodes: number;
  readonly nodesDone: number;
}

/** The page with the list of runs. */
export interface ListPageData {
  readonly kind: 'list';
  readonly program: string;
  readonly folder: string;
  readonly runs: readonly RunListEntry[];
  /** Runs that are older than those listed. */
  readonly more: number;
  readonly live: { readonly base: string };
}

/** What any page carries. */
export type PageData = RunPageData | ListPageData;
