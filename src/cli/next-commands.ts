import type { RunResult } from '../compose.ts';
import { shellWord } from './shell-word.ts';

/** The commands that are useful after a run, the most useful first. */
export function nextCommands(
  result: Pick<RunResult, 'runId' | 'status' | 'folder'>,
  place: { readonly file: string; readonly runsFolder: string | undefined },
): string[] {
  const where = place.runsFolder === undefined ? '' : ` --runs-folder ${shellWord(place.runsFolder)}`;
  const about = (command: string): string => `orchestrate ${command} ${shellWord(result.runId)}${where}`;
  switch (result.status) {
    case 'verified':
    case 'unverified':
      return [about('show'), about('replay')];
    case 'failed':
    case 'rejected':
    case 'indeterminate':
      return [about('why'), about('show')];
    case 'budget':
      return [about('why'), `orchestrate run ${shellWord(place.file)} with a larger --budget.…`];
    case 'waiting':
      return [about('show'), `orchestrate run ${shellWord(place.file)} --yes`];
    case 'interrupted':
      return [about('show')];
  }
}
