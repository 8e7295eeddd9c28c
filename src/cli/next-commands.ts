import type { RunResult } from '../index.ts';
import { shellWord } from './shell-word.ts';

/** The commands that are useful after a run, the most useful first. */
export function nextCommands(
  result: Pick<RunResult, 'runId' | 'status' | 'folder'>,
  runsFolder: string | undefined,
): string[] {
  const where = runsFolder === undefined ? '' : ` --runs-folder ${shellWord(runsFolder)}`;
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
      return [about('why'), 'the same command with a larger budget'];
    case 'waiting':
      return [about('show'), 'the same command with --yes'];
    case 'interrupted':
    case 'planned':
      return [about('show')];
  }
}
