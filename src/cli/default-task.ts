import { existsSync } from 'node:fs';

/** The task file that is meant where none is named. */
export const DEFAULT_TASK = 'task.yaml';

/** That file where it is there. */
export function findDefaultTask(): string | undefined {
  return existsSync(DEFAULT_TASK) ? DEFAULT_TASK : undefined;
}
