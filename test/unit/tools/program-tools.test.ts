import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import { builtinTools } from '../../../src/tools/builtin/builtin-tools.ts';
import { HeldOutput } from '../../../src/tools/sandbox/held-output.ts';
import { programEnvironment } from '../../../src/tools/sandbox/program-environment.ts';
import { folderArguments, isolationArguments } from '../../../src/tools/sandbox/sandbox-arguments.ts';
import { callBuiltin } from '../../support/builtin-call.ts';
import { openProgramWorld, type ProgramWorld } from '../../support/program-call.ts';

const PROGRAMS = ['shell', 'run_python', 'run_python_file', 'start_process'] as const;

/** A folder without bubblewrap. */
let nowhere = '';
let world: ProgramWorld | null = null;
beforeEach(() => {
  nowhere = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-no-sandbox-')));
});
afterEach(async () => {
  await world?.close();
  world = null;
  rmSync(nowhere, { recursive: true });
});

describe('where there is no sandbox', () => {
  it('no command runs, and the reason is told', async () => {
    world = openProgramWorld({ confinement: { path: nowhere } });
    await expect(world.call('shell', { command: 'touch made' })).rejects.toMatchObject({
      code: 'policy_denied',
      retry: 'POLICY',
      message: expect.stringContaining('no program may run without a sandbox: bubblewrap') as string,
      hint: expect.stringContaining('sandbox: allow_without') as string,
    });
    expect(existsSync(join(world.workspace, 'made'))).toBe(false);
  });

  it('a command runs where policy says so plainly, with limits and without the variables of this process', async () => {
    process.env['SORTIE_TEST_SECRET'] = 'hidden';
    world = openProgramWorld({ confinement: { path: nowhere, sandbox: 'allow_without' } });
    const { stdout } = (await world.call('shell', { command: 'pwd; env; ulimit -c' })) as { stdout: string };
    expect(stdout.split('\n')[0]).toBe(world.workspace);
    expect(stdout).not.toContain('hidden');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0');
    await expect(world.call('shell', { command: 'sleep 60', timeoutSeconds: 1 })).rejects.toMatchObject({
      details: { limit: 'time' },
    });
    expect(world.groups.living).toEqual([]);
    delete process.env['SORTIE_TEST_SECRET'];
  });

  it.each(PROGRAMS)(
    '%s counts as irreversible where it may run all the same, and as a write else',
    async (name) => {
      const effectOf = async (sandbox?: 'required' | 'allow_without') =>
        (await builtinTools([name], { confinement: { sandbox } }))[0]?.spec.effect;
      expect([await effectOf(), await effectOf('required'), await effectOf('allow_without')]).toEqual([
        ...['write', 'write', 'irreversible'],
      ]);
    },
  );
});

it('no program runs where the workspace holds the home folder', async () => {
  for (const workspace of [homedir(), '/']) {
    const call = callBuiltin(
      'shell',
      { command: 'true' },
      { workspace },
      { confinement: { sandbox: 'allow_without' } },
    );
    await expect(call).rejects.toMatchObject({ code: 'policy_denied' });
  }
});

it.each<[name: 'shell' | 'run_python' | 'run_python_file' | 'read_process' | 'clone_repository', args: Json]>(
  [
    ['shell', { command: '' }],
    ['shell', { command: 'x'.repeat(100_001) }],
    ['shell', { command: 'ä'.repeat(60_000) }],
    ['shell', { command: 'echo \0' }],
    ['shell', { command: 'true', timeoutSeconds: 0 }],
    ['shell', { command: 'true', timeoutSeconds: 601 }],
    ['shell', { command: 'true', memoryMiB: 8 }],
    ['shell', { command: 'true', env: { A: 'b' } }],
    ['run_python', { code: '' }],
    ['run_python', { code: 'print("\0")' }],
    ['run_python_file', { path: 'a.py', arguments: 'x' }],
    ['read_process', { process: 'sh' }],
    ['read_process', { process: 'p1', after: -1 }],
    ['clone_repository', { url: 'https://example.org/x.git', ref: '--upload-pack=x' }],
    ['clone_repository', { url: 'https://example.org/..' }],
    ['clone_repository', { url: 'https://example.org/%ff.git' }],
  ],
)('%s refuses %j as a misuse', async (name, args) => {
  world = openProgramWorld({ confinement: { path: nowhere, sandbox: 'allow_without' } });
  await expect(world.call(name, args)).rejects.toMatchObject({ code: 'tool_misuse' });
});

describe('the arguments of the sandbox', () => {
  it('share the network only where that is said', () => {
    expect(isolationArguments({ hasNetwork: false, isRecent: true })).not.toContain('--share-net');
    expect(isolationArguments({ hasNetwork: true, isRecent: true })).toContain('--share-net');
  });

  it('bind the workspace alone for writing, the history read-only, and hide the record of the run', () => {
    mkdirSync(join(nowhere, '.git'));
    mkdirSync(join(nowhere, '.orchestrate'));
    const args = [
      ...isolationArguments({ hasNetwork: false, isRecent: true }),
      ...folderArguments({ workspace: nowhere, cwd: nowhere }),
    ];
    const after = (flag: string): string[] =>
      args.flatMap((arg, index) => (arg === flag ? [args[index + 1] ?? ''] : []));
    expect(after('--bind')).toEqual([nowhere]);
    expect(after('--ro-bind')).toEqual([join(nowhere, '.git')]);
    expect(after('--tmpfs')).toEqual(['/dev/shm', '/tmp', join(nowhere, '.orchestrate')]);
    expect(after('--remount-ro')).toEqual(['/proc', '/dev', '/']);
  });

  it('leave nothing of the environment of this process', () => {
    expect(
      Object.keys(programEnvironment(true)).filter(
        (name) => !['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR'].includes(name),
      ),
    ).toEqual(['NO_COLOR', 'PYTHONDONTWRITEBYTECODE', 'PYTHONUNBUFFERED']);
    expect(programEnvironment(true)['PATH']).not.toContain(homedir());
  });
});

describe('held output', () => {
  const hold = (pieces: readonly string[], keptBytes: number) => {
    const stream = new PassThrough();
    const held = new HeldOutput(stream, keptBytes);
    for (const piece of pieces) stream.emit('data', Buffer.from(piece));
    return held.read();
  };

  it.each<[pieces: string[], kept: string]>([
    [[], ''],
    [['abc'], 'abc'],
    [['abcd', 'efgh'], 'abcdefgh'],
    [['abcd', 'efgh', 'i'], 'abcd\n[… 1 bytes left out …]\nfghi'],
    [['abcdefghijklmnopqrstuvwxyz'], 'abcd\n[… 18 bytes left out …]\nwxyz'],
    ['abcdefghijklmnopqrstuvwxyz'.split(''), 'abcd\n[… 18 bytes left out …]\nwxyz'],
  ])('of %j is %j', (pieces, kept) => {
    expect(hold(pieces, 8)).toMatchObject({
      text: kept,
      bytes: pieces.join('').length,
      isCut: pieces.join('').length > 8,
    });
  });
});
