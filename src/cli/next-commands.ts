import type { RunStatus } from '../index.ts';
import { shellWord } from './shell-word.ts';

type CommandName = 'show' | 'why' | 'replay';

/**
 * The commands that are useful about a run in this state, the most useful first; never the one that was just given.
 * `running` is a run without an ending.
 */
export function nextCommands(
  { runId, status }: { readonly runId: string; readonly status: RunStatus | 'running' },
  runsFolder: string | undefined,
  given?: CommandName,
): string[] {
  const where = runsFolder === undefined ? '' : ` --runs-folder ${shellWord(runsFolder)}`;
  return COMMANDS_OF[status]
    .filter((name) => name !== given)
    .map((name) => `orchestrate ${name} ${shellWord(runId)}${where}`);
}

const COMMANDS_OF: Readonly<Record<RunStatus | 'running', readonly CommandName[]>> = {
  verified: ['show', 'replay'],
  unverified: ['show', 'replay'],
  planned: ['show', 'replay'],
  failed: ['why', 'show'],
  rejected: ['why', 'show'],
  indeterminate: ['why', 'show'],
  budget: ['why', 'show'],
  waiting: ['show', 'why'],
  interrupted: ['show', 'why'],
  running: ['show', 'why'],
};
