import { OrchestratorError } from '../kernel/errors.ts';

/** The name of the newest run, wherever a run may be named. */
const LAST = 'last';

const MAX_CANDIDATES = 10;

/** True for what can be the id of a run: a plain name for a folder on every system, and not `last`. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/.test(text) && text !== LAST;
}

/** Throws `usage` for what cannot be the id of a run. */
export function checkRunId(runId: string): void {
  if (isRunId(runId)) return;
  const problem =
    runId === LAST
      ? 'stands for the newest run'
      : 'may hold at most 128 letters, digits, ".", "_" and "-", begins with a letter or digit, and does not end with "."';
  throw new OrchestratorError(
    'usage',
    `${JSON.stringify(runId.slice(0, 200))} cannot be a run id: it ${problem}`,
    {
      hint: 'Choose another run id.',
    },
  );
}

/** Throws `usage` where a program that is not type-checked names a run by no text. */
export function checkRunName(run: unknown): void {
  if (typeof run === 'string') return;
  throw new OrchestratorError('usage', 'run: expected the id of a run, a unique prefix of it, or last');
}

/** The id of these (newest first) that a name means: itself, a unique prefix, or `last`. Throws `run_not_found`. */
export function resolveRunId(name: string, ids: readonly string[]): string {
  checkRunName(name);
  const shown = JSON.stringify(name.slice(0, 200));
  if (name === LAST) {
    const [newest] = ids;
    if (newest === undefined) throw new OrchestratorError('run_not_found', 'there is no run yet');
    return newest;
  }
  if (ids.includes(name)) return name;
  const candidates = name === '' ? [] : ids.filter((id) => id.startsWith(name));
  const [only, ...others] = candidates;
  if (only === undefined) throw new OrchestratorError('run_not_found', `there is no run ${shown}`);
  if (others.length === 0) return only;
  const more = candidates.length > MAX_CANDIDATES ? `, and ${candidates.length - MAX_CANDIDATES} more` : '';
  const list = candidates.slice(0, MAX_CANDIDATES).join(', ') + more;
  throw new OrchestratorError(
    'run_not_found',
    `${shown} could be any of ${candidates.length} runs: ${list}`,
    {
      details: { candidates },
      hint: 'Give more of the id.',
    },
  );
}

/** Ids in the order of lists: newest first. */
export function sortNewestFirst(ids: Iterable<string>): string[] {
  return [...ids].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
}

const RESERVED_NAMES: ReadonlySet<string> = new Set(['flight.jsonl', 'blobs', 'inbox', 'derived', 'lock']);

/** Throws `internal` for what cannot be the name of a file beside the log of a run. */
export function checkArtifactName(name: string): void {
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(name) && !RESERVED_NAMES.has(name)) return;
  throw new OrchestratorError('internal', `${JSON.stringify(name)} cannot be the name of an artifact`);
}
