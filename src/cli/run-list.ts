import type { FlightEvent, RunStore } from '../index.ts';

/** Where runs are kept. */
export type RunFolder = RunStore<FlightEvent>;

/** One run as a list shows it. */
export interface RunLine {
  readonly runId: string;
  /** Its ending; `running`, or `unfinished` where nobody runs it any more; `damaged` where its log cannot be read. */
  readonly status: string;
  /** ISO 8601; null where the log cannot be read. */
  readonly startedAt: string | null;
  readonly name: string;
}

/** What a list shows of each of these runs, in their order. */
export async function describeRuns(store: RunFolder, ids: readonly string[]): Promise<RunLine[]> {
  const lines: RunLine[] = [];
  for (const runId of ids) lines.push(await describeRun(store, runId));
  return lines;
}

async function describeRun(store: RunFolder, runId: string): Promise<RunLine> {
  try {
    // In this order: a run that ends in between has its ending in the log.
    const isHeld = await store.isHeld(runId);
    const line = (await store.derive(runId, 'run-line', lineOf)) as unknown as Omit<RunLine, 'runId'>;
    const isRunning = line.status === 'unfinished' && isHeld;
    return { runId, ...line, ...(isRunning ? { status: 'running' } : {}) };
  } catch (error) {
    return {
      runId,
      status: 'damaged',
      startedAt: null,
      name: error instanceof Error ? error.message : String(error),
    };
  }
}

function lineOf(events: readonly FlightEvent[]): { status: string; startedAt: string | null; name: string } {
  const [first] = events;
  // The events before a fork are those of its origin.
  const began = events.findLast(({ type }) => type === 'run.forked') ?? first;
  const last = events.findLast(
    ({ type }) =>
      type === 'run.finished' ||
      type === 'run.interrupted' ||
      type === 'run.resumed' ||
      type === 'run.forked',
  );
  const status =
    last?.type === 'run.finished'
      ? last.status
      : last?.type === 'run.interrupted'
        ? 'interrupted'
        : 'unfinished';
  const name = first?.type === 'run.started' ? first.task.name : '';
  return { status, startedAt: began === undefined ? null : new Date(began.at).toISOString(), name };
}
