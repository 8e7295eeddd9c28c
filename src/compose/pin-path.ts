import { dirname, join, resolve } from 'node:path';
import type { DriveOptions } from './run-options.ts';
import { DEFAULT_RUNS_FOLDER } from './stores.ts';

/** The file that holds the pins of tools, beside the runs; null where they are kept in no folder. */
export function pinPath({ runsFolder, store }: Pick<DriveOptions, 'runsFolder' | 'store'>): string | null {
  if (store !== undefined || runsFolder === null) return null;
  const runs = resolve(runsFolder ?? DEFAULT_RUNS_FOLDER);
  return join(runs === resolve(DEFAULT_RUNS_FOLDER) ? dirname(runs) : runs, 'tools.json');
}
