import type { DriveOptions } from './run-options.ts';
import { besideRuns } from './stores.ts';

/** The file that holds the pins of tools, beside the runs; null where they are kept in no folder. */
export function pinPath({ runsFolder, store }: Pick<DriveOptions, 'runsFolder' | 'store'>): string | null {
  return store !== undefined || runsFolder === null ? null : besideRuns('tools.json', runsFolder);
}
