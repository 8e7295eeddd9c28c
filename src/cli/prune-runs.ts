import { OrchestratorError } from '../kernel/errors.ts';
import { confirm } from './ask-person.ts';
import { countOf } from './count-of.ts';
import { type Io, writeLine } from './io.ts';
import { describeRuns, type RunFolder, type RunLine } from './run-list.ts';
import { usageError } from './usage-error.ts';

interface PruneOptions {
  /** So many of the newest runs stay. */
  readonly keep: number;
  /** Only runs that began longer ago are removed; null for any age. */
  readonly olderThanMs: number | null;
  /** Whether to remove without asking. */
  readonly isSure: boolean;
}

/** Removes old runs after asking; never one that is being written. Returns the exit code. */
export async function pruneRuns(store: RunFolder, options: PruneOptions, io: Io): Promise<number> {
  const old = (await store.list()).slice(options.keep);
  const chosen = (await describeRuns(store, old)).filter((run) => isOldEnough(run, options.olderThanMs));
  if (chosen.length === 0) {
    writeLine(io.stdout, 'No run to remove.');
    return 0;
  }
  if (!options.isSure) {
    if (io.stdin.isTTY !== true) {
      throw usageError(
        `${countOf(chosen.length, 'run')} would be removed, but nobody can be asked`,
        'Add --yes.',
      );
    }
    for (const { runId, status } of chosen) writeLine(io.stderr, `  ${runId}  ${status}`);
    if (!(await confirm(`Remove ${countOf(chosen.length, 'run')}?`, io))) {
      writeLine(io.stdout, 'Nothing was removed.');
      return 0;
    }
  }
  let removed = 0;
  for (const { runId } of chosen) removed += (await remove(store, runId, io)) ? 1 : 0;
  writeLine(io.stdout, `${countOf(removed, 'run')} removed.`);
  return removed === chosen.length ? 0 : 1;
}

/** A run whose log cannot be read has no known age: it is not old enough for any. */
function isOldEnough({ startedAt }: RunLine, olderThanMs: number | null): boolean {
  if (olderThanMs === null) return true;
  return startedAt !== null && Date.now() - Date.parse(startedAt) > olderThanMs;
}

async function remove(store: RunFolder, runId: string, io: Io): Promise<boolean> {
  try {
    await store.remove(runId);
    return true;
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    writeLine(io.stderr, `kept ${runId}: ${error.message}`);
    return false;
  }
}
