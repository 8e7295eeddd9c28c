import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { processStatFields } from '../kernel/process-stat.ts';

/** The variable whose value marks the processes of a group, and those of the groups around it. */
export const MARK_VARIABLE = 'SORTIE_PROCESSES';

/** So many processes are looked at in one turn of the event loop: some milliseconds' worth. */
const PER_TURN = 100;

/**
 * Ids of the living processes that are in a group, or among those that are held with it, or carry its mark because they
 * have left it. Where the system shows no processes as files, the group alone is known, by its leader.
 */
export async function findMembers(group: number, mark: string, held: ReadonlySet<number>): Promise<number[]> {
  if (process.platform !== 'linux') return isThere(-group) ? [group] : [];
  const found: number[] = [];
  // Read in place: such files cost microseconds, and a turn of the thread pool each costs ten times as much.
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % PER_TURN === 0) await nextTurn();
    if (belongsTo(pid, { group, mark, held })) found.push(Number(pid));
  }
  return found;
}

/** Whether a process, or a group by its negative number, can be signalled. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function belongsTo(
  pid: string,
  { group, mark, held }: { group: number; mark: string; held: ReadonlySet<number> },
): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, , processGroup] = processStatFields(stat);
    if (state === 'Z' || state === 'X') return false;
    if (Number(processGroup) === group || held.has(Number(pid))) return true;
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.includes(mark) && environment.split('\0').some((entry) => isMarked(entry, mark));
  } catch {
    // It has ended meanwhile, or is another user's.
    return false;
  }
}

function isMarked(entry: string, mark: string): boolean {
  const [name, value = ''] = entry.split('=', 2);
  return name === MARK_VARIABLE && value.split(' ').includes(mark);
}
