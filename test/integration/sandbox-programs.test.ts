/*
 * Python and processes in the background, in the real sandbox.
 */
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { RunShelf } from '../../src/tools/builtin/run-shelf.ts';
import { findPython } from '../../src/tools/sandbox/find-python.ts';
import { missingSandbox, openProgramWorld, type ProgramWorld } from '../support/program-call.ts';

const missing = await missingSandbox();
const noPython = await findPython().then(
  () => null,
  (error: unknown) => String(error),
);
for (const reason of [missing, noPython]) if (reason !== null) console.warn(`skipped: ${reason}`);

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

describe.skipIf(missing !== null || noPython !== null)('Python in the sandbox', { timeout: 60_000 }, () => {
  it('runs code with its input, and has the workspace as its folder', async () => {
    writeFileSync(join(world.workspace, 'helper.py'), 'def twice(x):\n    return 2 * x\n');
    const code =
      'import sys, helper\nprint(helper.twice(int(sys.stdin.read())))\nopen("out.txt", "w").write("x")';
    expect(await call('run_python', { code, stdin: '21' })).toEqual({
      ...{ exitCode: 0, stdout: '42\n', stderr: '', truncated: false },
    });
    expect(readFileSync(join(world.workspace, 'out.txt'), 'utf8')).toBe('x');
    expect(existsSync(join(world.workspace, '__pycache__'))).toBe(false);
  });

  it('fails its step by an exception, with what it said', async () => {
    await expect(call('run_python', { code: 'raise ValueError("not today")' })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(/^the program ended with code 1: .*ValueError: not today$/s) as string,
    });
  });

  it('has no network and no secrets, and what it imports is of its own folder', async () => {
    const code = [
      'import os, socket, json',
      'try:',
      '    socket.create_connection(("1.1.1.1", 53), 2); net = True',
      'except OSError: net = False',
      'print(json.dumps([net, sorted(os.listdir("/")), os.path.exists("/etc/shadow")]))',
    ].join('\n');
    const { stdout } = await call<{ stdout: string }>('run_python', { code });
    const [hasNetwork, folders, hasShadow] = JSON.parse(stdout) as [boolean, string[], boolean];
    expect([hasNetwork, hasShadow]).toEqual([false, false]);
    expect(folders).not.toContain('home');
  });

  it('runs a file of the workspace with its arguments, and none from outside', async () => {
    writeFileSync(join(world.workspace, 'sum.py'), 'import sys\nprint(sum(map(int, sys.argv[1:])))\n');
    symlinkSync('/usr/lib/os-release', join(world.workspace, 'link.py'));
    expect(await call('run_python_file', { path: 'sum.py', arguments: ['1', '2', '39'] })).toMatchObject({
      stdout: '42\n',
    });
    await expect(call('run_python_file', { path: 'gone.py' })).rejects.toMatchObject({
      code: 'missing_info',
    });
    await expect(call('run_python_file', { path: 'link.py' })).rejects.toMatchObject({
      code: 'policy_denied',
    });
    await expect(call('run_python_file', { path: '../x.py' })).rejects.toMatchObject({
      code: 'policy_denied',
    });
  });

  it('is ended where it takes too long, too much memory, or starts too many others', async () => {
    await expect(call('run_python', { code: 'while True: pass', timeoutSeconds: 1 })).rejects.toMatchObject({
      details: { limit: 'time' },
    });
    await expect(
      call('run_python', { code: 'a = []\nwhile True: a.append(bytearray(b"x" * 1000000))', memoryMiB: 64 }),
    ).rejects.toMatchObject({ details: { limit: 'memory' } });
    await expect(
      // Bounded by itself: no test may endanger the machine that it runs on.
      call('run_python', {
        code: 'import os, time\nfor _ in range(300):\n    if os.fork() == 0: time.sleep(20); os._exit(0)\ntime.sleep(20)',
      }),
    ).rejects.toMatchObject({ details: { limit: 'processes' } });
    expect(world.groups.living).toEqual([]);
  });
});

describe.skipIf(missing !== null)('a process in the background', { timeout: 60_000 }, () => {
  it('is started, read, listed and ended by its name', async () => {
    const command = 'echo ready; n=0; while :; do n=$((n+1)); echo line $n; sleep 0.05; done';
    expect(await call('start_process', { command, waitFor: 'ready' })).toEqual({ process: 'p1' });
    const first = await call<{ next: number; output: string }>('read_process', { process: 'p1' });
    expect(first).toMatchObject({
      state: 'running',
      output: expect.stringMatching(/^ready\n/) as string,
      truncated: false,
    });
    const more = await call('read_process', { process: 'p1', after: first.next, waitSeconds: 5 });
    expect(more).toMatchObject({ output: expect.stringMatching(/^line \d+/m) as string });
    expect(await call('list_processes', {})).toEqual({
      processes: [{ process: 'p1', command, state: 'running' }],
    });
    expect(await call('end_process', { process: 'p1' })).toMatchObject({
      state: 'ended',
      endedBy: 'end_process',
    });
    expect(await call('end_process', { process: 'p1' })).toMatchObject({ state: 'ended' });
    expect(world.groups.living).toEqual([]);
  });

  it('tells of repositories that it leaves behind, in the background, in front and when it fails', async () => {
    const isNew = (path: string) => [expect.stringContaining(`${path}/.git is new`) as string];
    const command = 'mkdir -p back/.git; echo made; sleep 60';
    await call('start_process', { command, waitFor: 'made' });
    expect(await call('end_process', { process: 'p1' })).toMatchObject({ warnings: isNew('back') });
    expect(await call('list_processes', {})).toMatchObject({ processes: [{ warnings: isNew('back') }] });
    expect(await call('read_process', { process: 'p1' })).toMatchObject({ warnings: isNew('back') });
    expect(await call('shell', { command: 'mkdir -p front/.git' })).toMatchObject({
      warnings: isNew('front'),
    });
    expect(await call('shell', { command: 'ls front/.git' })).not.toHaveProperty('warnings');
    await expect(call('shell', { command: 'mkdir -p failed/.git; exit 3' })).rejects.toMatchObject({
      details: { warnings: isNew('failed') },
    });
  });

  it('tells how it ended by itself, and what it wrote last, where that was a flood', async () => {
    await call('start_process', { command: 'yes | head -c 20000000; echo; echo the end; exit 3' });
    await expect
      .poll(async () => (await call('list_processes', {}))['processes'], { timeout: 30_000 })
      .toMatchObject([{ state: 'ended', exitCode: 3 }]);
    const read = await call<{ next: number; output: string; truncated: boolean }>('read_process', {
      process: 'p1',
    });
    expect(read.truncated).toBe(true);
    expect(read.output.length).toBeLessThanOrEqual(64 * 1024);
    const last = await call<{ output: string }>('read_process', { process: 'p1', after: 20_000_000 });
    expect(last.output).toContain('the end');
  });

  it('fails where it does not become ready, and is not left behind', async () => {
    await expect(
      call('start_process', { command: 'echo starting; sleep 60', waitFor: 'ready', waitSeconds: 1 }),
    ).rejects.toMatchObject({ code: 'tool_failed', details: { output: 'starting\n' } });
    await expect(
      call('start_process', { command: 'echo broken >&2; exit 1', waitFor: 'ready' }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('ended without') as string,
    });
    expect(world.groups.living).toEqual([]);
  });

  it('has no network, is bounded in memory, and is one of sixteen at most', async () => {
    await call('start_process', {
      command: 'exec 3<>/dev/tcp/1.1.1.1/53 && echo connected; echo tried',
      waitFor: 'tried',
    });
    expect(await call('read_process', { process: 'p1' })).not.toMatchObject({
      output: expect.stringContaining('connected') as string,
    });
    await call('start_process', { command: 'x=x; while :; do x=$x$x; done', memoryMiB: 64 });
    await expect
      .poll(async () => (await call<{ processes: Json[] }>('list_processes', {})).processes[1], {
        timeout: 30_000,
      })
      .toMatchObject({ state: 'ended' });
    for (let count = 0; count < 16; count++) await call('start_process', { command: 'sleep 60' });
    await expect(call('start_process', { command: 'sleep 60' })).rejects.toThrow(
      '16 processes of this run live already',
    );
    await world.close();
    expect(world.groups.living).toEqual([]);
  });

  it('that was never started is missing', async () => {
    await expect(call('read_process', { process: 'p7' })).rejects.toMatchObject({ code: 'missing_info' });
  });
});
