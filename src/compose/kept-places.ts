import { existsSync } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { isModulePath } from '../config/load.ts';
import type { KeptPlaces } from '../contracts/kept-places.ts';
import { deniedNames } from '../contracts/policy/denied-names.ts';
import type { OpenRun } from '../contracts/ports.ts';
import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import { moduleFiles } from '../tools/module-files.ts';
import { memoryPath } from './memory.ts';
import type { Prepared } from './prepare.ts';
import type { DriveOptions, OpenedRun } from './run-options.ts';
import { DEFAULT_RUNS_FOLDER } from './stores.ts';

/** Files that go with runs: where runs are kept in the workspace itself, they lie among its own. */
const DATABASES = ['memory.db', 'sessions.db'];
const BESIDE_RUNS = ['tools.json', 'agent-notes.json', ...DATABASES.flatMap(databaseFiles)];

const RUNS_PARENT = dirname(DEFAULT_RUNS_FOLDER);
const MOST_LINKS = 40;

/** What a server or a command would run of the workspace: the rest of their words may be data. */
const RUNNABLE = /\.(?:[cm]?[jt]sx?|py|sh|bash|rb|pl|php|lua|jar)$/;

/** What a run keeps from its own tools: where runs are recorded, and what it was made from. */
export async function keptPlaces(
  prepared: Pick<Prepared, 'task' | 'folder' | 'file'>,
  options: Pick<DriveOptions, 'runsFolder' | 'store'>,
  { run, before = [] }: Pick<OpenedRun, 'before'> & { readonly run: Pick<OpenRun, 'folder'> },
): Promise<KeptPlaces> {
  const workspace = await realpath(prepared.folder).catch(() => resolve(prepared.folder));
  const hidden: string[] = [];
  for (const folder of await allPlaces(runFolders(options, run)))
    hidden.push(...(folder === workspace ? await recordsIn(folder) : [folder]));
  hidden.push(...(await allPlaces(memoryFiles(prepared, options))));
  const begun = before.find((event) => event.type === 'run.started');
  const file = prepared.file ?? begun?.taskFile ?? null;
  const { deny = [] } = prepared.task.policy.paths ?? {};
  return {
    hidden,
    fixed: await allPlaces(await sources({ ...prepared, file }, workspace)),
    ...(deny.length === 0 ? {} : { denied: deniedNames(deny) }),
  };
}

/** The path of the task file as a run is told of it, so that it is known when the run is taken up. */
export function taskFileOf({ file }: Pick<Prepared, 'file'>): { taskFile?: string } {
  return file === null ? {} : { taskFile: resolve(file) };
}

/** Every folder that may hold runs of this process, and the folder around the usual one. */
function runFolders(
  { runsFolder, store }: Pick<DriveOptions, 'runsFolder' | 'store'>,
  { folder }: Pick<OpenRun, 'folder'>,
): string[] {
  const roots = [
    resolve(DEFAULT_RUNS_FOLDER),
    ...(typeof runsFolder === 'string' && store === undefined ? [resolve(runsFolder)] : []),
    ...(folder === null ? [] : [dirname(resolve(folder))]),
  ];
  return roots.map((root) => (basename(dirname(root)) === RUNS_PARENT ? dirname(root) : root));
}

/** Runs and what goes with them, in a folder that holds other things too. */
async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const runs = names.filter((name) => existsSync(join(folder, name, 'flight.jsonl')));
  return [...runs, ...BESIDE_RUNS].map((name) => join(folder, name));
}

function memoryFiles(
  { task, folder }: Pick<Prepared, 'task' | 'folder'>,
  { runsFolder }: Pick<DriveOptions, 'runsFolder'>,
): string[] {
  const path = memoryPath(task.memory, folder, runsFolder ?? undefined);
  return [...databaseFiles(path), join(dirname(path), 'agent-notes.json')];
}

function databaseFiles(path: string): string[] {
  return ['', '-wal', '-shm', '-journal'].map((ending) => path + ending);
}

/** The task file, all code that the task names, and where that code finds packages. */
async function sources(
  { task, folder, file }: Pick<Prepared, 'task' | 'folder' | 'file'>,
  workspace: string,
): Promise<string[]> {
  const modules = [...taskModules(task, folder), ...(await commandFiles(task, folder))];
  const files = await moduleFiles(modules);
  const folders = new Set<string>();
  for (const each of await allPlaces(files)) {
    const isInside = (path: string): boolean => path === workspace || path.startsWith(workspace + sep);
    for (let at = dirname(each); isInside(at); at = dirname(at)) folders.add(at);
  }
  return [
    ...(file === null ? [] : [resolve(file)]),
    ...files,
    ...[...folders].flatMap((at) => [join(at, 'node_modules'), join(at, 'package.json')]),
  ];
}

function taskModules(task: Task, folder: string): string[] {
  const checks = task.verify.checks.flatMap((check) =>
    'function' in check ? [check.function.split('#')[0] ?? ''] : [],
  );
  const named = [...task.tools, ...listProviders(task).map(({ name }) => name)].filter(isModulePath);
  return [...named, ...checks, ...(task.hooks === undefined ? [] : [task.hooks])].map((path) =>
    resolve(folder, path),
  );
}

/** Files that servers and commands of the task run. */
async function commandFiles(task: Task, folder: string): Promise<string[]> {
  const words = [
    ...Object.values(task.mcp ?? {}).flatMap((server) =>
      'command' in server
        ? [server.command, ...server.args].map((word) => resolve(folder, server.cwd ?? '.', word))
        : [],
    ),
    ...listProviders(task).flatMap(({ credentialCommand = '' }) =>
      credentialCommand.split(/[\s"']+/).filter((word) => word !== ''),
    ),
  ].map((word) => resolve(folder, word));
  const isRun = await Promise.all(
    words.map((path) =>
      stat(path).then(
        (stats) => stats.isFile() && (RUNNABLE.test(path) || (stats.mode & 0o111) !== 0),
        () => false,
      ),
    ),
  );
  return words.filter((_, index) => isRun[index]);
}

async function allPlaces(paths: readonly string[]): Promise<string[]> {
  const places = await Promise.all(paths.map(placesOf));
  return [...new Set(places.flat())];
}

/** Where a path leads, and every link on the way there: who changes one of them changes what the path means. */
async function placesOf(path: string): Promise<string[]> {
  const links: string[] = [];
  const { root } = parse(path);
  let here = root;
  const pending = relative(root, path).split(sep);
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === '' || name === '.') continue;
    const next = name === '..' ? dirname(here) : join(here, name);
    const target = name === '..' ? null : await readlink(next).catch(() => null);
    if (target === null || links.length >= MOST_LINKS) {
      here = next;
      continue;
    }
    links.push(next);
    if (target.startsWith(sep)) here = root;
    pending.unshift(...target.split(sep));
  }
  return [...links, here];
}
