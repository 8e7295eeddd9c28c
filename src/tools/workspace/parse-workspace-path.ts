import { posix } from 'node:path';
import { ToolError } from '../../kernel/errors.ts';

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 64;

/** Characters that look like a slash or a backslash and that NFKC does not already make one. */
const SEPARATOR_LOOKALIKES = /[\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9]/u;

/** Characters that cannot be seen or that turn the text around; the joiners of emoji and scripts aside. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}|[\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;

const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[. :].*)?$/iu;

/** Folders of a workspace whose content says what runs, or is the record of a run. */
const PROTECTED = new Set(['.git', '.orchestrate']);

/**
 * The names on the way from the workspace to what a path names, none of them `..`; empty for the workspace itself.
 * `root` is the real path of the workspace. Throws a ToolError: POLICY where the path leads out, TOOL_MISUSE where it
 * is written in a way that means different things to different systems.
 */
export function parseWorkspacePath(root: string, path: string): string[] {
  refuseForm(path);
  const inside = path.startsWith('/') ? pathBelow(root, path) : path;
  const normal = posix.normalize(inside === '' ? '.' : inside);
  if (normal === '..' || normal.startsWith('../') || normal.startsWith('/')) throw outsideWorkspace(path);
  const names = normal.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length > MAX_DEPTH) throw misuse(path, `has more than ${MAX_DEPTH} folders`);
  for (const name of names) refuseName(path, name);
  return names;
}

/** The error for a path that leads out of the workspace. */
export function outsideWorkspace(path: string): ToolError {
  return new ToolError('POLICY', `${JSON.stringify(path)} lies outside the workspace`, { details: { path } });
}

/** Whether names lead into a folder that file tools may not change, however it is spelled. */
export function isProtectedPath(names: readonly string[]): boolean {
  return names.some((name) => PROTECTED.has(foldName(name)));
}

/** A name as file systems compare it that know neither case nor compositions nor trailing dots. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
}

/** What an absolute path is below the root, as far as its text says. */
function pathBelow(root: string, path: string): string {
  const normal = posix.normalize(path);
  if (normal === root || normal === `${root}/`) return '.';
  const prefix = root.endsWith('/') ? root : `${root}/`;
  if (!normal.startsWith(prefix)) throw outsideWorkspace(path);
  return normal.slice(prefix.length);
}

function refuseForm(path: string): void {
  if (path.includes('\0')) throw misuse(path, 'holds a NUL character');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw misuse('', `is longer than ${MAX_PATH_BYTES} bytes`);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) throw misuse(path, 'holds a control character');
  if (/\p{Cs}/u.test(path)) throw misuse(path, 'holds half a character');
  if (path.includes('\\')) throw misuse(path, 'holds a backslash; folders are parted by /');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) throw misuse(path, 'is an address, not a path');
  if (/^[a-z]:/i.test(path)) throw misuse(path, 'begins with a drive letter');
  if (/^~(?:\/|$)/.test(path)) throw misuse(path, 'begins with ~, which is not looked up');
  if (path.startsWith('//')) throw misuse(path, 'begins with two slashes');
  if (SEPARATOR_LOOKALIKES.test(path)) throw misuse(path, 'holds a character that looks like a slash');
  if (INVISIBLE.test(path)) throw misuse(path, 'holds a character that cannot be seen');
}

function refuseName(path: string, name: string): void {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw misuse('', `holds a name over ${MAX_NAME_BYTES} bytes`);
  const folded = name.normalize('NFKC');
  if (folded !== name && (/[/\\\0]/.test(folded) || /^[. ]+$/.test(folded))) {
    throw misuse(path, 'holds characters that stand for dots or slashes');
  }
  if (/[.\s]$/.test(name)) throw misuse(path, 'holds a name that ends in a dot or a space');
  if (/::?\$[a-z]/i.test(name)) throw misuse(path, 'names a stream of a file');
  if (DEVICE.test(folded)) throw misuse(path, 'names a device');
}

function misuse(path: string, fault: string): ToolError {
  const subject = path === '' ? 'the path' : `the path ${JSON.stringify(path)}`;
  return new ToolError('TOOL_MISUSE', `${subject} ${fault}`, { details: { path } });
}
