import { dirname, join, resolve } from 'node:path';
import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import { FileRunStore, readFlightFile } from '../flight/file-store.ts';
import { MemoryRunStore } from '../flight/memory-log.ts';
import { checkRunName } from '../flight/run-ids.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { checkRunOptions } from './check-options.ts';
import type { DriveOptions } from './run-options.ts';

/** Where runs are kept below the working folder. */
export const DEFAULT_RUNS_FOLDER = '.orchestrate/runs';

/** The runs kept in a folder, `.orchestrate/runs` below the working folder by default; null for in memory. */
export function openRunStore(runsFolder: string | null = DEFAULT_RUNS_FOLDER): RunStore<FlightEvent> {
  checkRunOptions({ runsFolder });
  return runsFolder === null ? new MemoryRunStore() : new FileRunStore(runsFolder);
}

/** The path of a file that goes with runs: beside `.orchestrate/runs`, and in the folder of the runs where that is another. */
export function besideRuns(name: string, runsFolder: string = DEFAULT_RUNS_FOLDER): string {
  const runs = resolve(runsFolder);
  return join(runs === resolve(DEFAULT_RUNS_FOLDER) ? dirname(runs) : runs, name);
}

/** The store that options name. */
export function storeOf({
  store,
  runsFolder,
}: Pick<DriveOptions, 'store' | 'runsFolder'>): RunStore<FlightEvent> {
  return store ?? openRunStore(runsFolder);
}

/** The events of a run, given by id, unique prefix, `last`, or the path of its log; throws `run_not_found`, `log_corrupt`. */
export async function readRecorded(
  run: string,
  store: RunStore<FlightEvent>,
): Promise<readonly FlightEvent[]> {
  checkRunName(run);
  const events = run.endsWith('.jsonl') ? await readFlightFile(run) : await store.read(run);
  if (events.length === 0)
    throw new OrchestratorError('log_corrupt', `the log of ${run} holds no event`, {
      hint: 'Its process died before it began: run its task again.',
    });
  return events;
}
