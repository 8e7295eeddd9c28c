import { relative, sep } from 'node:path';
import type { KeptPlaces } from '../../contracts/kept-places.ts';
import { ToolError } from '../../kernel/errors.ts';
import { foldName } from './parse-workspace-path.ts';

/** Whether names of the workspace at the real path `root` lead into one of the places, however they are spelled. */
export function isWithin(root: string, names: readonly string[], places: readonly string[]): boolean {
  return places.some((place) => {
    const kept = relative(root, place).split(sep);
    if (kept[0] === '..' || kept[0] === '') return false;
    return (
      kept.length <= names.length && kept.every((name, at) => foldName(name) === foldName(names[at] ?? ''))
    );
  });
}

/** Throws a ToolError where names lead to what the run keeps from its own tools; `path` is what was asked for. */
export function refuseKept(
  path: string,
  root: string,
  names: readonly string[],
  kept: KeptPlaces | undefined,
): void {
  if (kept === undefined) return;
  const reason = isWithin(root, names, kept.hidden)
    ? 'the record of runs is kept there'
    : isWithin(root, names, kept.fixed)
      ? 'it says what runs of this task do'
      : null;
  if (reason === null) return;
  throw new ToolError('POLICY', `${JSON.stringify(path)} is not for tools to change: ${reason}`, {
    details: { path },
  });
}
