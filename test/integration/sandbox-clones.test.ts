/*
 * Clones of repositories, made by git in the real sandbox.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { RunShelf } from '../../src/tools/builtin/run-shelf.ts';
import { missingSandbox, openProgramWorld, type ProgramWorld } from '../support/program-call.ts';

const missing = await missingSandbox();
const noGit = existsSync('/usr/bin/git') ? null : 'git is not installed';
for (const reason of [missing, noGit]) if (reason !== null) console.warn(`skipped: ${reason}`);

let world: ProgramWorld;

beforeEach(() => {
  world = openProgramWorld({ shelf: new RunShelf(), web: { privateHosts: ['localhost'] } });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
  rmSync(world.workspace, { recursive: true, force: true });
});

const call = async <T = Record<string, Json>>(
  name: Parameters<ProgramWorld['call']>[0],
  args: Json,
): Promise<T> => (await world.call(name, args)) as T;

describe.skipIf(missing !== null || noGit !== null)('a clone of a repository', { timeout: 60_000 }, () => {
  let root = '';
  let server: Server;
  let url = '';
  let commit = '';

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'sortie-git-'));
    const source = join(root, 'source');
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', source, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    execFileSync('git', ['init', '-q', '-b', 'main', source]);
    writeFileSync(join(source, 'README.md'), '# A project\n');
    symlinkSync('/etc/passwd', join(source, 'link'));
    git('add', '.');
    git('commit', '-qm', 'first');
    git('branch', 'other');
    commit = git('rev-parse', 'HEAD').trim();
    execFileSync('git', ['clone', '-q', '--bare', source, join(root, 'project.git')]);
    execFileSync('git', ['-C', join(root, 'project.git'), 'update-server-info']);
    // The plain protocol of files over HTTP: enough for a whole clone.
    server = createServer((request, response) => {
      const path = join(root, new URL(request.url ?? '/', 'http://x').pathname);
      if (request.url?.startsWith('/away')) {
        response.writeHead(302, { location: 'http://127.0.0.2:9/project.git/info/refs' }).end();
      } else if (!existsSync(path) || lstatSync(path).isDirectory()) response.writeHead(404).end();
      else
        response
          .writeHead(200, {
            'content-type': extname(path) === '' ? 'text/plain' : 'application/octet-stream',
          })
          .end(readFileSync(path));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://localhost:${(server.address() as AddressInfo).port}/project.git`;
  });

  afterAll(() => {
    server.close();
    rmSync(root, { recursive: true });
  });

  it('is a new folder with the commit that was checked out, links as plain files', async () => {
    expect(await call('clone_repository', { url, depth: 0 })).toEqual({ path: 'project', commit });
    expect(readFileSync(join(world.workspace, 'project/README.md'), 'utf8')).toBe('# A project\n');
    expect(lstatSync(join(world.workspace, 'project/link')).isSymbolicLink()).toBe(false);
    expect(await call('clone_repository', { url, depth: 0, path: 'deep/er', ref: 'other' })).toEqual({
      path: 'deep/er',
      commit,
    });
    await expect(call('clone_repository', { url, depth: 0 })).rejects.toMatchObject({ code: 'tool_misuse' });
  });

  it('is out of the reach of other programs while it is made', async () => {
    writeFileSync(join(root, 'secret'), 'the secret');
    const evil = '[filter "evil"]\n\tsmudge = sh -c "cat >/dev/null; echo changed"\n';
    writeFileSync(join(world.workspace, 'evil'), evil);
    const change = [
      'cat evil >>$git/config; echo "* filter=evil" >$git/info/attributes',
      `[ ! -e $git/index ] || echo "ref: ../../../../../../..${root}/secret" >$git/HEAD`,
    ].join('; ');
    const loop = `echo ready; while :; do for git in .clone-*/.git; do [ ! -d $git ] || { ${change}; }; done 2>/dev/null; done`;
    await call('start_process', { command: loop, waitFor: 'ready' });
    for (const path of ['one', 'two', 'three']) {
      expect(await call('clone_repository', { url, depth: 0, path })).toEqual({ path, commit });
      expect(readFileSync(join(world.workspace, path, 'README.md'), 'utf8')).toBe('# A project\n');
    }
  });

  it.skipIf(!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync(tmpdir()).dev)(
    'is made on another file system where temporary files lie there',
    async () => {
      vi.stubEnv('TMPDIR', '/dev/shm');
      const path = 'deep/er';
      expect(await call('clone_repository', { url, depth: 0, path })).toEqual({ path, commit });
      expect(readdirSync(join(world.workspace, path))).toContain('README.md');
      expect(readdirSync(join(world.workspace, 'deep'))).toEqual(['er']);
    },
  );

  it('is refused before its files are written where a small pack holds more than the disk should', async () => {
    const large = join(root, 'large.git');
    const git = (args: string[], input?: string): string =>
      execFileSync('git', ['-C', large, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        encoding: 'utf8',
        ...(input === undefined ? {} : { input }),
      }).trim();
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', large]);
    const blob = git(['hash-object', '-w', '--stdin'], 'x\n'.repeat(20 * 1024 * 1024));
    const names = Array.from({ length: 110 }, (_, at) => `100644 blob ${blob}\tfile-${at}\n`);
    const commitTree = (files: string[]): string =>
      git(['commit-tree', '-m', 'first', git(['mktree'], files.join(''))]);
    git(['update-ref', 'refs/heads/main', commitTree(names)]);
    const small = commitTree(names.slice(0, 1));
    git(['update-ref', 'refs/heads/small', small]);
    git(['update-server-info']);
    const address = url.replace('project.git', 'large.git');
    await expect(call('clone_repository', { url: address, depth: 0 })).rejects.toMatchObject({
      code: 'tool_failed',
      message: 'the files of this commit take more than 4 GiB',
    });
    expect(readdirSync(world.workspace)).toEqual([]);
    const whole = { url: address, depth: 0, ref: 'small' };
    expect(await call('clone_repository', whole)).toEqual({ path: 'large', commit: small });
    expect(statSync(join(world.workspace, 'large/file-0')).size).toBe(40 * 1024 * 1024);
  });

  it('without a commit is an empty folder', async () => {
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(root, 'empty.git')]);
    execFileSync('git', ['-C', join(root, 'empty.git'), 'update-server-info']);
    const address = url.replace('project.git', 'empty.git');
    const result = await call('clone_repository', { url: address, depth: 0 });
    expect(result).toEqual({ path: 'empty', commit: '' });
    expect(readdirSync(join(world.workspace, 'empty'))).toEqual(['.git']);
  });

  it('has files as the repository stores them, as git itself sees it', async () => {
    const source = join(root, 'odd');
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', source, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        encoding: 'utf8',
      });
    execFileSync('git', ['init', '-q', '-b', 'main', source]);
    writeFileSync(join(source, 'id'), '$Id$\n');
    writeFileSync(join(source, '.gitattributes'), 'id ident\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    execFileSync('git', ['clone', '-q', '--bare', source, join(root, 'odd.git')]);
    execFileSync('git', ['-C', join(root, 'odd.git'), 'update-server-info']);
    await call('clone_repository', { url: url.replace('project.git', 'odd.git'), depth: 0 });
    const clone = join(world.workspace, 'odd');
    expect(readFileSync(join(clone, 'id'), 'utf8')).toBe('$Id$\n');
    expect(execFileSync('git', ['-C', clone, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
  });

  it('comes from no address that web tools may not reach, and none that a server leads to', async () => {
    const { port } = new URL(url);
    await expect(
      call('clone_repository', { url: `http://127.0.0.1:${port}/project.git` }),
    ).rejects.toMatchObject({
      code: 'policy_denied',
    });
    await expect(
      call('clone_repository', { url: `http://localhost:${port}/away/project.git` }),
    ).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('not let through') as string,
    });
    await expect(
      call('clone_repository', { url: `http://localhost:${port}/gone.git` }),
    ).rejects.toMatchObject({ code: 'tool_failed' });
    expect(existsSync(join(world.workspace, 'gone'))).toBe(false);
    expect(execFileSync('ls', ['-A', world.workspace], { encoding: 'utf8' })).toBe('');
  });

  it.each([
    ['file:///etc', 'tool_misuse'],
    ['ssh://git@example.org/x.git', 'tool_misuse'],
    ['ext::sh -c id', 'tool_misuse'],
    ['--upload-pack=id', 'tool_misuse'],
    ['https://user:secret@example.org/x.git', 'tool_misuse'],
  ])('of %s is refused', async (address, code) => {
    await expect(call('clone_repository', { url: address })).rejects.toMatchObject({ code });
  });

  it.each(['../out', '/tmp/out', '.git', '.orchestrate/x', 'a/.git/hooks'])(
    'into %s is refused',
    async (path) => {
      await expect(call('clone_repository', { url, path })).rejects.toMatchObject({ code: 'policy_denied' });
      expect(existsSync(join(dirname(world.workspace), 'out'))).toBe(false);
    },
  );
});
