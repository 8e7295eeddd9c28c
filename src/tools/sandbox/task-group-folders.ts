import { join } from 'node:path';

/** What a kind of control groups is called in the list of mounts, the older one first: where both are there it counts. */
const KINDS = ['cgroup', 'cgroup2'] as const;

type Kind = (typeof KINDS)[number];

/**
 * Folders in which a control group that counts processes may be made, the nearest to this process first, from what
 * `/proc/self/cgroup` and `/proc/self/mountinfo` say.
 */
export function taskGroupFolders(groups: string, mounts: string): string[] {
  return KINDS.flatMap((kind) => foldersOf(kind, groups, mounts));
}

/** Those of the groups that this process is in: whatever is made in them keeps to the limits of this process. */
export function ownGroupFolders(groups: string, mounts: string): string[] {
  return (['cgroup2', 'cgroup'] as const).flatMap((kind) => foldersOf(kind, groups, mounts).slice(0, 1));
}

function foldersOf(kind: Kind, groups: string, mounts: string): string[] {
  const own = ownPath(groups, kind);
  const mount = mounts
    .split('\n')
    .map(readMount)
    .find((each) => each?.kind === kind);
  return own === null || mount === null || mount === undefined ? [] : upwards(own, mount);
}

interface Mount {
  readonly kind: string;
  /** The control group that stands at its top. */
  readonly root: string;
  readonly point: string;
}

/** The group of this process; null where no group of that kind counts it. */
function ownPath(groups: string, kind: Kind): string | null {
  for (const line of groups.split('\n')) {
    const [, controllers = '', ...path] = line.split(':');
    const isIt = kind === 'cgroup2' ? line.startsWith('0::') : controllers.split(',').includes('pids');
    if (isIt) return path.join(':');
  }
  return null;
}

/** A mount of control groups that count processes, or may; null for any other. */
function readMount(line: string): Mount | null {
  const [left = '', right = ''] = line.split(' - ');
  const [, , , root = '', point = ''] = left.split(' ');
  const [kind = '', , options = ''] = right.split(' ');
  if (kind === 'cgroup' && !options.split(',').includes('pids')) return null;
  return { kind, root: unescape(root), point: unescape(point) };
}

/** Spaces and the like stand there as octal numbers. */
function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function upwards(own: string, { root, point }: Mount): string[] {
  const top = root === '/' ? '' : root;
  const isBelow = own === root || own.startsWith(`${top}/`);
  const names = isBelow
    ? own
        .slice(top.length)
        .split('/')
        .filter((name) => name !== '')
    : [];
  // A group outside of what is mounted has no folder here.
  if (names.includes('..')) return [point];
  return Array.from({ length: names.length + 1 }, (_, up) =>
    join(point, ...names.slice(0, names.length - up)),
  );
}
