import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import { FileRunStore } from '../flight/file-store.ts';
import { MemoryRunStore } from '../flight/memory-log.ts';
import type { DriveOptions } from './run-options.ts';

const DEFAULT_RUNS_FOLDER = '.orchestrate/runs';

/** The runs kept in a folder; `.orchestrate/runs` below the working folder by default. */
export function openRunStore(runsFolder: string = DEFAULT_RUNS_FOLDER): RunStore<FlightEvent> {
  return new FileRunStore(runsFolder);
}

/** The store that options name. */
export function storeOf({
  store,
  runsFolder,
}: Pick<DriveOptions, 'store' | 'runsFolder'>): RunStore<FlightEvent> {
  if (store !== undefined) return store;
  return runsFolder === null ? new MemoryRunStore() : openRunStore(runsFolder);
}
