/*
 * A clone is made where no program of the run reaches: what stood in its config meanwhile would be run by git, with a
 * network, and what its files name be read by this process.
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Tool, ToolContext } from '../../contracts/tool.ts';
import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { inPrivateFolder } from '../sandbox/private-folder.ts';
import { programLimits } from '../sandbox/program-fields.ts';
import { type ProgramResult, type ProgramRun, refuseFailure, runProgram } from '../sandbox/run-program.ts';
import type { Confinement } from '../sandbox/start-program.ts';
import { AddressGuard } from '../web/address-guard.ts';
import { GuardedProxy } from '../web/guarded-proxy.ts';
import { parseWebUrl } from '../web/parse-web-url.ts';
import { systemCode, toFileError } from '../workspace/file-error.ts';
import { atPlace } from '../workspace/find-place.ts';
import type { HeldFolder } from '../workspace/held-folder.ts';
import type { BuiltinSettings } from './builtin-settings.ts';

const GIBIBYTE = 1024 * 1024 * 1024;
const MOST_BYTES = GIBIBYTE;
/** Of what is checked out: a pack of a few kilobytes may hold one large file under thousands of names. */
const MOST_FILE_GIBIBYTES = 4;
const TOO_LARGE = 99;
const LIMITS = programLimits({ timeoutSeconds: 600, memoryMiB: 2048 });

/** What git may do: ask its proxy over http and https, and neither run nor follow anything that a repository holds. */
const SETTINGS: Readonly<Record<string, string>> = {
  'protocol.allow': 'never',
  'protocol.http.allow': 'always',
  'protocol.https.allow': 'always',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.symlinks': 'false',
  'credential.helper': '',
  'gc.auto': '0',
  'advice.detachedHead': 'false',
};

/** Adds up the files of a commit, each and each folder with a block of the disk, before the first of them is written. */
const CHECK_OUT = `
git ls-tree -r -t -l HEAD | awk -v most="$1" '{ bytes += $4 + 4096 } bytes > most { exit ${TOO_LARGE} }'
case $? in 0) exec git read-tree -m -u HEAD ;; *) exit $? ;; esac
`;

/** Expansions that would make files many times larger than they are stored. */
const ATTRIBUTES = '* -ident -working-tree-encoding\n';

/** Built-in `clone_repository`: a repository of the web as a folder of the workspace. */
export function createCloneRepository({ web, confinement = {} }: BuiltinSettings): Tool {
  const guard = new AddressGuard(web?.privateHosts);
  return defineTool({
    name: 'clone_repository',
    description:
      'Clones a git repository over http or https into a new folder of the workspace. Without credentials, without submodules, links as plain files; at most 1 GiB from the network, and 4 GiB of files.',
    input: z.strictObject({
      url: z
        .string()
        .min(1)
        .describe('Address of the repository, such as https://example.org/some/project.git.'),
      path: z
        .string()
        .min(1)
        .optional()
        .describe('The new folder, relative to the workspace; the name of the repository by default.'),
      ref: z
        .string()
        .regex(/^[\w][\w./+-]{0,199}$/)
        .optional()
        .describe('Branch or tag that is checked out; the default branch of the repository where not given.'),
      depth: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(1)
        .describe('How many commits of its history are fetched; 0 for all.'),
    }),
    output: z.strictObject({
      path: z.string(),
      commit: z.string().describe('The commit that was checked out.'),
    }),
    costHint: 2,
    effect: 'write',
    openWorld: true,
    timeoutMs: 660_000,
    argumentKinds: { url: 'url', path: 'path' },
    async run({ url: address, path, ref, depth }, context) {
      const url = parseWebUrl(address);
      if (context.permits?.('url', url.href) === false) throw notPermitted(url);
      const target = path ?? nameOf(url);
      await atNewFolder(target, context, () => Promise.resolve());
      const proxy = await GuardedProxy.open({ guard, permits: context.permits, maxBytes: MOST_BYTES });
      try {
        // Asked first, so that a refused address is told as such and not as a failure of git.
        await guard.addressesOf(url, 'argument');
        return await inPrivateFolder(await realpath(context.workspace), async (folder) => {
          const draft = join(folder, 'clone');
          // Member by member: the context of a run has its members from its class, and a spread leaves those out.
          const inside = { spawn: context.spawn, signal: context.signal, workspace: folder };
          const env = gitEnvironment(proxy.url);
          const result = await runProgram(inside, confinement, {
            name: 'git clone',
            command: 'git',
            args: [
              ...['clone', '--quiet', '--no-checkout', '--no-recurse-submodules'],
              ...['-c', 'core.symlinks=false'],
              ...(depth === 0 ? [] : ['--depth', String(depth)]),
              ...(ref === undefined ? [] : ['--branch', ref]),
              ...['--', url.href, draft],
            ],
            env,
            hasNetwork: true,
            ...LIMITS,
          });
          if (result.exitCode !== 0 && proxy.refusal !== null) throw refusedBy(proxy.refusal);
          refuseFailure('git clone', result);
          const commit = await commitOf(draft);
          if (commit !== '') await checkOut(draft, (run) => runProgram(inside, confinement, { ...run, env }));
          await atNewFolder(target, context, (place) => moveTo(place, draft, context, confinement));
          return { path: target, commit };
        });
      } finally {
        await proxy.close();
      }
    },
  });
}

/** The repository's own name, as git would call its folder. */
function nameOf(url: URL): string {
  const last = url.pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const name = last.replace(/\.git$/, '');
  if (/^\w[\w.-]*$/.test(name)) return name;
  throw new ToolError('TOOL_MISUSE', `${url.href} names no repository; give the folder as path`);
}

/** Writes the files of the commit; throws a ToolError where they are too large. */
async function checkOut(clone: string, run: (program: ProgramRun) => Promise<ProgramResult>): Promise<void> {
  const info = join(clone, '.git/info');
  await mkdir(info, { recursive: true });
  await writeFile(join(info, 'attributes'), ATTRIBUTES);
  const args = ['-c', CHECK_OUT, 'check-out', String(MOST_FILE_GIBIBYTES * GIBIBYTE)];
  const result = await run({ name: 'git read-tree', command: '/bin/sh', args, cwd: clone, ...LIMITS });
  if (result.exitCode === TOO_LARGE) {
    throw new ToolError('PERMANENT', `the files of this commit take more than ${MOST_FILE_GIBIBYTES} GiB`);
  }
  refuseFailure('git read-tree', result);
}

interface NewPlace {
  readonly folder: HeldFolder;
  readonly name: string;
  /** The real path of the folder around it, when it was looked up. */
  readonly parent: string;
}

/** Calls `use` with where the folder is to be made; throws a ToolError where something is there already. */
async function atNewFolder(
  path: string,
  { workspace, permits, kept }: ToolContext,
  use: (place: NewPlace) => Promise<void>,
): Promise<void> {
  try {
    const root = await realpath(workspace);
    const options = { makesFolders: true, keepsLink: true, permits, changes: { kept } };
    await atPlace(workspace, path, options, async ({ folder, name }) => {
      if (name === null) throw new ToolError('TOOL_MISUSE', 'the workspace itself is no new folder');
      const isThere = await lstat(folder.at(name)).then(
        () => true,
        () => false,
      );
      if (isThere) {
        throw new ToolError('TOOL_MISUSE', `${JSON.stringify(path)} exists already`, { details: { path } });
      }
      await use({ folder, name, parent: join(root, ...folder.names) });
    });
  } catch (error) {
    throw toFileError(error, path, 'make');
  }
}

/** Moves the clone there; to another file system a program copies it, which cannot be led out of the workspace. */
async function moveTo(
  { folder, name, parent }: NewPlace,
  clone: string,
  context: ToolContext,
  confinement: Confinement,
): Promise<void> {
  try {
    await rename(clone, folder.at(name));
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    const draft = `.clone-${randomBytes(8).toString('hex')}`;
    const copy = { name: 'cp', command: 'cp', readable: [clone], ...LIMITS };
    const remove = { name: 'rm', command: 'rm', args: ['-rf', '--', join(parent, draft)], ...LIMITS };
    try {
      const args = ['-RPp', '--', clone, join(parent, draft)];
      refuseFailure('cp', await runProgram(context, confinement, { ...copy, args }));
      await rename(folder.at(draft), folder.at(name));
    } catch (failure) {
      // An aborted call clears away what it made, too.
      const { spawn, workspace, kept } = context;
      const { signal } = new AbortController();
      await runProgram({ spawn, workspace, kept, signal }, confinement, remove).catch(() => undefined);
      throw failure;
    }
  }
}

/** Nothing of this user's configuration, no questions, and settings where no other user sees the password of the proxy. */
function gitEnvironment(proxy: string): Record<string, string> {
  const settings = Object.entries({ ...SETTINGS, 'http.proxy': proxy });
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** The commit that HEAD stands for: a clone keeps a fresh branch as a file of its own, or packed with others. */
async function commitOf(folder: string): Promise<string> {
  const git = join(folder, '.git');
  const head = (await readFile(join(git, 'HEAD'), 'utf8')).trim();
  const branch = /^ref: (\S+)$/.exec(head)?.[1];
  if (branch === undefined) return head;
  const loose = await readFile(join(git, branch), 'utf8').catch(() => null);
  if (loose !== null) return loose.trim();
  const packed = await readFile(join(git, 'packed-refs'), 'utf8').catch(() => '');
  const line = packed.split('\n').find((entry) => entry.endsWith(` ${branch}`));
  // A repository without a commit has a branch that does not exist yet.
  return line?.split(' ')[0] ?? '';
}

function notPermitted(url: URL): OrchestratorError {
  return new OrchestratorError('policy_denied', `policy does not permit ${url.href}`, {
    details: { url: url.href },
  });
}

/** What the server led to must not be able to stop the run. */
function refusedBy(refusal: Error): Error {
  return new ToolError('PERMANENT', `git was not let through: ${refusal.message}`, { cause: refusal });
}
