import { readdirSync, readFileSync } from 'node:fs';
import { processStatFields } from '../../kernel/process-stat.ts';

/** Of the kernel's pages; 4096 wherever bubblewrap is common, and more counts too much rather than too little. */
const PAGE_BYTES = 4096;

/** What a program and everything that it has started take. */
export interface FamilyUsage {
  readonly processes: number;
  readonly memoryBytes: number;
}

interface Member {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly memoryBytes: number;
}

/**
 * What the descendants of a process take, itself included, and the other members of its group. Zero where the system
 * does not show its processes as files. Memory that several of them share is counted for each.
 */
export function familyUsage(leader: number): FamilyUsage {
  const members = familyOf(leader);
  return {
    processes: members.length,
    memoryBytes: members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

/** The same memory with what is shared counted once; slower, for when the first count is too high. */
export function familyMemoryBytes(leader: number): number {
  return familyOf(leader).reduce(
    (sum, { pid, memoryBytes }) => sum + (proportionalBytes(pid) ?? memoryBytes),
    0,
  );
}

/** Processes with all their descendants, and the other members of their groups, each once. */
export function familyOf(...leaders: readonly number[]): Member[] {
  if (leaders.length === 0) return [];
  const all = readMembers();
  const children = new Map<number, Member[]>();
  for (const member of all) {
    const siblings = children.get(member.parent);
    if (siblings === undefined) children.set(member.parent, [member]);
    else siblings.push(member);
  }
  const family = new Map<number, Member>();
  const open = all.filter(({ pid, group }) => leaders.includes(pid) || leaders.includes(group));
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    if (family.has(member.pid)) continue;
    family.set(member.pid, member);
    open.push(...(children.get(member.pid) ?? []));
  }
  return [...family.values()];
}

function readMembers(): Member[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const fields = processStatFields(readFileSync(`/proc/${name}/stat`, 'latin1'));
      const field = (place: number): number => Number(fields[place - 3]);
      return [{ pid: Number(name), parent: field(4), group: field(5), memoryBytes: field(24) * PAGE_BYTES }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

function proportionalBytes(pid: number): number | null {
  try {
    const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
    return found === null ? null : Number(found[1]) * 1024;
  } catch {
    return null;
  }
}
