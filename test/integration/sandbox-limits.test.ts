/*
 * How many processes, threads and files a program may have in the real sandbox, and who sees to it. Whatever starts many
 * here is bounded by itself: no test may endanger the machine that it runs on.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { taskGroupFolders } from '../../src/tools/sandbox/task-group-folders.ts';
import { findTaskBound } from '../../src/tools/sandbox/task-limit.ts';
import { countProcesses as count } from '../support/family.ts';
import { until } from '../support/mcp-servers.ts';
import { missingSandbox, openProgramWorld, type ProgramWorld } from '../support/program-call.ts';

const missing = await missingSandbox();
const bound = await findTaskBound();
if (bound === 'none') console.warn('nothing of this system bounds how many processes a program starts');

let world: ProgramWorld;

beforeAll(() => {
  world = openProgramWorld();
});

afterAll(async () => {
  await world.close();
  rmSync(world.workspace, { recursive: true });
});

describe.skipIf(missing !== null)('a command in the sandbox', { timeout: 60_000 }, () => {
  it('starts no more processes than the system is told to let it, whoever counts them', async () => {
    const mark = `5.${String(process.pid).padStart(7, '0')}`;
    const bounded = openProgramWorld({ confinement: { mostTasks: 64 } });
    const sample = sampleCount(`sleep ${mark}`);
    const [started, failed] = numbersOf(await bounded.call('shell', startMany(120, mark)));
    const most = sample.stop();
    rmSync(bounded.workspace, { recursive: true });
    if (bound === 'none') {
      expect([started, failed]).toEqual([120, 0]);
      return;
    }
    // Its own interpreter, and whatever makes the sandbox, count too.
    expect(started).toBeGreaterThan(50);
    expect(started).toBeLessThan(64);
    expect(failed).toBe(120 - started);
    expect(most).toBeLessThanOrEqual(started);
    expect(bounded.groups.living).toEqual([]);
    expect(count(`sleep ${mark}`)).toBe(0);
  });

  it('starts no more threads either, by itself', async () => {
    const code = [
      'import threading, time',
      'threading.stack_size(262144)',
      'started = failed = 0',
      'for _ in range(600):',
      '    try:',
      '        threading.Thread(target=time.sleep, args=(2,), daemon=True).start(); started += 1',
      '    except RuntimeError: failed += 1',
      'print(started, failed)',
    ].join('\n');
    const command = `MALLOC_ARENA_MAX=1 python3 -c '${code}'`;
    const [started, failed] = numbersOf(await world.call('shell', { command, memoryMiB: 4096 }));
    expect(started + failed).toBe(600);
    if (bound === 'none') return;
    expect(started).toBeGreaterThan(480);
    expect(started).toBeLessThan(512);
  });

  it('is ended where it has started too many processes, all of them with it', async () => {
    const mark = `9.${String(process.pid).padStart(7, '0')}`;
    const { command } = startMany(300, mark);
    await expect(
      world.call('shell', { command: `${command}; sleep 20`, timeoutSeconds: 30 }),
    ).rejects.toMatchObject({
      details: { limit: 'processes' },
      message: 'the command started too many processes and was ended',
    });
    expect(world.groups.living).toEqual([]);
    expect(count(`sleep ${mark}`)).toBe(0);
  });

  it('leaves no control group behind', async () => {
    const [groups, mounts] = ['cgroup', 'mountinfo'].map((file) =>
      readFileSync(`/proc/self/${file}`, 'utf8'),
    );
    const left = (): string[] =>
      taskGroupFolders(groups ?? '', mounts ?? '').flatMap((folder) =>
        readdirSync(folder).filter((name) => name.startsWith(`sortie-${process.pid}-`)),
      );
    const running = world.call('shell', { command: 'sleep 1' });
    if (bound === 'cgroup') await until(() => left().length > 0);
    await running;
    await until(() => left().length === 0);
  });

  it('opens no more than so many files', async () => {
    expect(printed(await world.call('shell', { command: 'ulimit -n; ulimit -Hn' }))).toBe('1024\n1024\n');
  });
});

/** What a command has written to its output. */
function printed(output: Json): string {
  return (output as unknown as { readonly stdout: string }).stdout;
}

/** A command that starts so many programs that sleep, at most, and says how many it could start and how many not. */
function startMany(times: number, seconds: string): { readonly command: string } {
  const code = [
    'import subprocess',
    'started = failed = 0',
    `for _ in range(${times}):`,
    '    try:',
    `        subprocess.Popen(["sleep", "${seconds}"]); started += 1`,
    '    except OSError: failed += 1',
    'print(started, failed)',
  ].join('\n');
  return { command: `python3 -c '${code}'` };
}

/** The two numbers that a command has printed. */
function numbersOf(output: Json): readonly [started: number, failed: number] {
  const [started = NaN, failed = NaN] = printed(output).trim().split(' ').map(Number);
  return [started, failed];
}

/** Counts the processes with that command line again and again; the answer of `stop` is the most at a time. */
function sampleCount(command: string): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, count(command));
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}
