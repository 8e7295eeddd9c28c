import type { FlightEvent, RunStatus } from '../index.ts';
import { shellWord } from './shell-word.ts';

/** A command about a run and what stands behind the id; null for the list of what waits. */
type NextCommand = readonly [name: string, options?: string] | null;

/**
 * The commands that are useful about a run in this state, the most useful first; never the one that was just given.
 * A session is gone on with by talking; where a supplied plan was refused there is nothing to take up. `running` is a run without an ending: it goes on, or its process died; of an `unfinished` one that is known.
 */
export function nextCommands(
  {
    runId,
    status,
    isSession = false,
    failure,
  }: {
    readonly runId: string;
    readonly status: RunStatus | 'running' | 'unfinished';
    readonly isSession?: boolean;
    readonly failure?: { readonly code: string } | null | undefined;
  },
  runsFolder: string | undefined,
  given?: string,
): string[] {
  const where = runsFolder === undefined ? '' : ` --runs-folder ${shellWord(runsFolder)}`;
  return COMMANDS_OF[status].flatMap((next) => {
    if (next === null) return [`orchestrate approvals${where}`];
    const [name, options = ''] = next;
    if (name === 'resume' && failure?.code === 'plan_invalid') return [];
    if (name === 'resume' && isSession) return [`orchestrate chat --resume ${shellWord(runId)}${where}`];
    return name === given ? [] : [`orchestrate ${name} ${shellWord(runId)}${options}${where}`];
  });
}

/** What made a run fail that has not been taken up since, as its log says it. */
export function failureOf(events: readonly FlightEvent[]): { readonly code: string } | undefined {
  const last = events.findLast(({ type }) => type === 'run.finished' || type === 'run.resumed');
  return last?.type === 'run.finished' ? last.failure : undefined;
}

const SUCCEEDED: readonly NextCommand[] = [['show'], ['replay']];
const FAILED: readonly NextCommand[] = [['why'], ['show'], ['resume', ' --retry-failed']];

const COMMANDS_OF: Readonly<Record<RunStatus | 'running' | 'unfinished', readonly NextCommand[]>> = {
  verified: SUCCEEDED,
  unverified: SUCCEEDED,
  planned: SUCCEEDED,
  failed: FAILED,
  rejected: FAILED,
  indeterminate: FAILED,
  budget: [['why'], ['show']],
  waiting: [null, ['show'], ['why']],
  interrupted: [['resume'], ['show'], ['why']],
  running: [['resume'], ['show'], ['why']],
  unfinished: [['resume'], ['show'], ['why']],
};
