/* Processes that start others, and who of them lives. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/**
 * A child, a grandchild in the background, and one that has left group and session; where it is said, deaf to SIGTERM,
 * and the last one with an empty environment.
 */
export function familyScript(folder: string, { isDeaf = false, isBare = false } = {}): string {
  const trap = isDeaf ? `trap '' TERM; ` : '';
  const leave = isBare ? 'setsid env -i' : 'setsid';
  const member = (name: string): string =>
    `sh -c 'echo $$ > "${folder}/${name}"; while :; do sleep 0.05; done'`;
  return `${trap}${member('child')} & (${leave} ${member('stray')} &); echo $$ > "${folder}/leader"; wait`;
}

const MEMBERS = ['leader', 'child', 'stray'] as const;

/** The ids of a family, once all of it lives. */
export async function familyOf(folder: string): Promise<number[]> {
  const ids = (): number[] =>
    MEMBERS.flatMap((name) => {
      const file = join(folder, name);
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return text.endsWith('\n') ? [Number(text)] : [];
    });
  await expect.poll(ids, { timeout: 20_000, interval: 20 }).toHaveLength(MEMBERS.length);
  const family = ids();
  expect(family.every(isAlive)).toBe(true);
  return family;
}

/** Whether a process lives; one that ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** How many processes of this machine have that command line. */
export function countProcesses(command: string): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim() === command;
    } catch {
      return false;
    }
  }).length;
}

/** Resolves once none of them lives. */
export async function expectGone(family: readonly number[]): Promise<void> {
  await expect.poll(() => family.filter(isAlive), { timeout: 20_000, interval: 20 }).toEqual([]);
}
