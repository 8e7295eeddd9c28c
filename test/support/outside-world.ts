import {
  linkSync,
  lstatSync,
  readlinkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What stands in the files outside of the workspace; a tool that returns it has been led out. */
export const SECRET = 'the secret that lies outside';

/** A workspace with what lies around it, and with links that lead out of it. */
export interface OutsideWorld {
  readonly root: string;
  readonly workspace: string;
  /** Everything outside of the workspace, as text that two of these can be compared by. */
  snapshot(): string;
  remove(): void;
}

/** Makes a workspace inside a folder with secrets, and every kind of link that leads out. */
export function createOutsideWorld(): OutsideWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-outside-')));
  const workspace = join(root, 'work');
  const inside = (name: string): string => join(workspace, name);
  for (const folder of ['work/sub/deep', 'work/.git/hooks', 'work-beside', 'outside/folder']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const file of [
    'secret.txt',
    'work-beside/secret.txt',
    'outside/secret.txt',
    'outside/folder/secret.txt',
  ]) {
    writeFileSync(join(root, file), SECRET);
  }
  writeFileSync(inside('note.txt'), 'a note');
  writeFileSync(inside('sub/inner.txt'), 'inner');
  writeFileSync(inside('.git/config'), 'config of git');
  const links: readonly (readonly [name: string, target: string])[] = [
    ['link-relative', '../secret.txt'],
    ['link-absolute', join(root, 'secret.txt')],
    ['link-folder', '../outside'],
    ['link-folder-absolute', join(root, 'outside')],
    ['link-folder-slash', '../outside/'],
    ['link-parent', '..'],
    ['link-root', '/'],
    ['link-proc-root', '/proc/self/root'],
    ['link-proc-cwd', '/proc/self/cwd'],
    ['link-chain', 'link-chain-2'],
    ['link-chain-2', 'sub/link-chain-3'],
    ['sub/link-chain-3', '../../secret.txt'],
    ['sub/link-up-twice', '../../secret.txt'],
    ['link-loop', 'link-loop-2'],
    ['link-loop-2', 'link-loop'],
    ['link-self', 'link-self'],
    ['link-dangling', '../outside/new.txt'],
    ['link-dangling-folder', '../outside/new-folder'],
    ['link-through-name', `${workspace}/../secret.txt`],
    ['link-beside', `${workspace}-beside/secret.txt`],
    ['link-inside-then-out', 'sub/../../secret.txt'],
    ['link-through-file', 'note.txt/../../secret.txt'],
    ['link-many-up', `${'../'.repeat(40)}${root.slice(1)}/secret.txt`],
    ['link-dots', './././../secret.txt'],
    ['link-double-slash', `/${root}/secret.txt`],
    ['link-to-git', '.git'],
  ];
  for (const [name, target] of links) symlinkSync(target, inside(name));
  linkSync(join(root, 'outside', 'secret.txt'), inside('hard-link.txt'));
  linkSync(pipe(), inside('pipe'));
  return {
    root,
    workspace,
    snapshot: () => describe(root, workspace),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

let madePipe: string | null = null;

/** A pipe needs a program to be made, so one is made and given further names. */
function pipe(): string {
  if (madePipe !== null) return madePipe;
  const folder = mkdtempSync(join(tmpdir(), 'sortie-pipe-'));
  madePipe = join(folder, 'pipe');
  execFileSync('mkfifo', [madePipe]);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return madePipe;
}

function describe(folder: string, except: string): string {
  const lines: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (path === except) continue;
    const stats = lstatSync(path);
    if (stats.isDirectory()) lines.push(`${path}/`, describe(path, except));
    else if (stats.isSymbolicLink()) lines.push(`${path} -> ${readlinkSync(path)}`);
    else lines.push(`${path} ${stats.mode} ${readFileSync(path, 'utf8')}`);
  }
  return lines.join('\n');
}
