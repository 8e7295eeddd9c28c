import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Cover, Covers } from './find-covers.ts';

const MEBIBYTE = 1024 * 1024;

/** Sizes of the folders in memory that a program may write beside the workspace. */
const TEMPORARY_BYTES = 256 * MEBIBYTE;
const SHARED_MEMORY_BYTES = 64 * MEBIBYTE;

/** Folders of the system that hold programs and libraries, and nothing of any person. */
export const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'];

/** What programs read of the configuration of the system. */
const SYSTEM_FILES = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/ssl/certs',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust',
];

/** What a program needs to find hosts by their names. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/gai.conf'];

/** Folders of a workspace that say what runs later, or are the record of a run. */
const READ_ONLY_FOLDER = '.git';
const HIDDEN_FOLDER = '.orchestrate';

/** How much a program is shut off. */
export interface Isolation {
  readonly hasNetwork: boolean;
  /** Whether this bubblewrap (from 0.8 on) limits the size of folders in memory, and forbids further namespaces. */
  readonly isRecent: boolean;
}

/** What a program sees beside the system's own programs, by real paths. */
export interface SandboxFolders {
  readonly workspace: string;
  /** The folder that it starts in. */
  readonly cwd: string;
  /** Further folders that it may read, such as that of an interpreter. */
  readonly readable?: readonly string[];
  /** What is mounted on places that are kept from it. */
  readonly kept?: Pick<Covers, 'anchors' | 'covers'>;
}

/** Arguments of bubblewrap for a program that sees the system's programs, an empty `/tmp`, and nothing else. */
export function isolationArguments({ hasNetwork, isRecent }: Isolation): string[] {
  const size = (bytes: number): string[] => (isRecent ? ['--size', String(bytes)] : []);
  return [
    ...['--unshare-all', ...(hasNetwork ? ['--share-net'] : []), '--die-with-parent', '--new-session'],
    ...['--unshare-user', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...(isRecent ? ['--disable-userns'] : []),
    ...SYSTEM_FOLDERS.flatMap(readable),
    ...SYSTEM_FILES.flatMap(readable),
    ...(hasNetwork ? NETWORK_FILES.flatMap(readable) : []),
    // Where this is run by root, settings of the kernel could be written there, capabilities or not.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev'],
    ...[...size(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...[...size(TEMPORARY_BYTES), '--tmpfs', '/tmp'],
  ];
}

/** Arguments for the folders of a run: its workspace can be written, but not what says how the run goes on. */
export function folderArguments({ workspace, cwd, readable: folders = [], kept }: SandboxFolders): string[] {
  const isThere = (name: string): boolean => existsSync(join(workspace, name));
  const git = join(workspace, READ_ONLY_FOLDER);
  return [
    ...folders.flatMap(readable),
    ...['--bind', workspace, workspace],
    ...(kept?.anchors ?? []).flatMap((folder) => ['--bind', folder, folder]),
    ...(isThere(READ_ONLY_FOLDER) ? ['--ro-bind', git, git] : []),
    ...(isThere(HIDDEN_FOLDER) ? ['--tmpfs', join(workspace, HIDDEN_FOLDER)] : []),
    ...(kept?.covers ?? []).flatMap(coverArguments),
    ...['--remount-ro', '/', '--chdir', cwd],
  ];
}

function coverArguments({ path, kind }: Cover): string[] {
  switch (kind) {
    case 'hidden folder':
      return ['--tmpfs', path, '--remount-ro', path];
    case 'hidden file':
      return ['--ro-bind', '/dev/null', path];
    case 'read-only':
      return ['--ro-bind', path, path];
  }
}

function readable(path: string): string[] {
  return ['--ro-bind-try', path, path];
}
