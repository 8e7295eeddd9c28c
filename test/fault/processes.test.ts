/*
 * Child processes die with the call that starts them, with the run, or with this program, whatever ends it: the program
 * itself, its children in the background, those that have left their group, and, where the system holds them in control
 * groups, those that have shed their environment too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { findProcessHold } from '../../src/tools/control-groups.ts';
import { ProcessWatcher } from '../../src/tools/process-watcher.ts';
import { ProcessGroups } from '../../src/tools/processes.ts';
import { expectGone, familyOf, familyScript, isAlive } from '../support/family.ts';
import { temporaryFolder } from '../support/flight-events.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/processes', import.meta.url));
const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** Whether those that shed their environment are found as well. */
const HEIRS = (await findProcessHold()) === null ? [false] : [false, true];
if (!HEIRS.includes(true)) console.warn('no control groups: what leaves its group bare is not found here');

const opened: ProcessGroups[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((groups) => groups.close()));
});

function openGroups(): ProcessGroups {
  const groups = new ProcessGroups();
  opened.push(groups);
  return groups;
}

const shell = (script: string, cwd: string) => ({ command: 'sh', args: ['-c', script], cwd });

describe('a process', () => {
  it('gives its output whole and its exit code, in its folder and with its input', async () => {
    const folder = temporaryFolder();
    const groups = openGroups();
    const script = 'pwd; cat; echo "$GREETING" >&2; head -c 300000 /dev/zero | tr "\\0" x; exit 3';
    const group = await groups.spawn({
      ...shell(script, folder),
      env: { PATH: process.env['PATH'], GREETING: 'hello' },
      hasInput: true,
    });
    const written = { out: '', err: '' };
    group.stdout.setEncoding('utf8').on('data', (piece: string) => (written.out += piece));
    group.stderr.setEncoding('utf8').on('data', (piece: string) => (written.err += piece));
    group.stdin?.end('its input\n');
    expect(await group.ended).toEqual({ code: 3, signal: null });
    expect(written.out).toBe(`${folder}\nits input\n${'x'.repeat(300_000)}`);
    expect(written.err).toBe('hello\n');
    expect(groups.living).toEqual([]);
  });

  it('reads an empty input where none is asked for', async () => {
    const group = await openGroups().spawn(shell('cat; exit 4', temporaryFolder()));
    expect(group.stdin).toBeNull();
    expect(await group.ended).toEqual({ code: 4, signal: null });
  });

  it('that does not exist, or has no folder, is refused with what is missing', async () => {
    const folder = temporaryFolder();
    const groups = openGroups();
    await expect(groups.spawn({ command: 'no-such-program', cwd: folder })).rejects.toMatchObject({
      code: 'tool_failed',
      message: 'there is no program "no-such-program": it is in no folder of PATH',
    });
    await expect(groups.spawn({ command: './gone.sh', cwd: folder })).rejects.toThrow('it is missing');
    await expect(groups.spawn(shell('true', join(folder, 'gone')))).rejects.toThrow('there is no folder');
    await expect(groups.spawn({ command: '', cwd: folder })).rejects.toMatchObject({ code: 'tool_misuse' });
    expect(groups.living).toEqual([]);
  });

  it.each(HEIRS)('takes with it what it leaves behind when it ends by itself (bare: %s)', async (isBare) => {
    const folder = temporaryFolder();
    const script = `${familyScript(folder, { isBare }).replace(/wait$/, '')} while [ ! -e go ]; do sleep 0.02; done`;
    const group = await openGroups().spawn(shell(script, folder));
    const family = await familyOf(folder);
    mkdirSync(join(folder, 'go'));
    expect(await group.ended).toEqual({ code: 0, signal: null });
    expect(family.filter(isAlive)).toEqual([]);
  });

  it.each(HEIRS.flatMap((isBare) => [false, true].map((isDeaf) => ({ isBare, isDeaf }))))(
    'is stopped with all its descendants, those that have left it included: %j',
    async ({ isBare, isDeaf }) => {
      const folder = temporaryFolder();
      const group = await openGroups().spawn(shell(familyScript(folder, { isBare, isDeaf }), folder));
      const family = await familyOf(folder);
      await group.stop(isDeaf ? 100 : 20_000);
      expect(family.filter(isAlive)).toEqual([]);
      expect(await group.ended).toEqual({ code: null, signal: isDeaf ? 'SIGKILL' : 'SIGTERM' });
    },
  );

  it('is not started once they are closed, and those that live are gone then', async () => {
    const folder = temporaryFolder();
    const groups = openGroups();
    await groups.spawn(shell(familyScript(folder), folder));
    const family = await familyOf(folder);
    await groups.close();
    expect(family.filter(isAlive)).toEqual([]);
    await expect(groups.spawn(shell('true', folder))).rejects.toMatchObject({ code: 'aborted' });
  });

  it('of another run is left alone', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    await openGroups().spawn(shell(familyScript(other), other));
    const bystanders = await familyOf(other);
    const group = await openGroups().spawn(shell(familyScript(folder), folder));
    await familyOf(folder);
    await group.stop();
    expect(bystanders.every(isAlive)).toBe(true);
  });
});

/** Waits until a process has written a text to its standard output. */
function seeing(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let written = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      written += piece;
      if (written.includes(text)) resolve();
    });
    child.once('close', () => reject(new Error(`ended before it wrote ${text}: ${written}`)));
  });
}

describe('the process that owns others', () => {
  it.each(
    HEIRS.flatMap((isBare) => [
      { what: 'is killed', how: 'watched', signal: 'SIGKILL' as const, isBare },
      { what: 'is killed after its watcher was', how: 'blinded', signal: 'SIGKILL' as const, isBare },
      { what: 'exits without a word', how: 'watched', signal: null, isBare },
      ...(isBare ? [{ what: 'is killed', how: 'bounded', signal: 'SIGKILL' as const, isBare }] : []),
    ]),
  )('leaves none behind when it $what ($how, bare: $isBare)', async ({ how, signal, isBare }) => {
    const folder = temporaryFolder();
    const script = familyScript(folder, { isBare });
    const owner = spawn(process.execPath, [join(FIXTURES, 'owner.mjs'), folder, script, how]);
    owner.stderr.pipe(process.stderr);
    await seeing(owner, 'owns');
    const family = await familyOf(folder);
    if (signal === null) owner.stdin.end();
    else owner.kill(signal);
    await expectGone(family);
  });
});

it('a watcher that is closed kills the groups that it still knows, marked or not, and no others', async () => {
  const watcher = new ProcessWatcher('a-token');
  const [watched, forgotten] = [0, 1].map(() => spawn('sleep', ['300'], { stdio: 'ignore', detached: true }));
  const ended = new Promise((resolve) => watched?.once('exit', (_, signal) => resolve(signal)));
  for (const each of [watched, forgotten]) await watcher.add(Number(each?.pid));
  watcher.remove(Number(forgotten?.pid));
  watcher.close();
  expect(await ended).toBe('SIGKILL');
  expect(isAlive(Number(forgotten?.pid))).toBe(true);
  forgotten?.kill();
});

/** The option that has the task run one node: a tool with a script. */
function planOf(...nodes: readonly { id: string; tool: string; script: string; deps?: string[] }[]): string {
  const all = nodes.map(({ id, tool, script, deps = [] }) => ({ id, tool, args: { text: script }, deps }));
  return `--input=plan=${JSON.stringify({ nodes: all, output: nodes.at(-1)?.id })}`;
}

function startRun(
  folder: string,
  plan: string,
): { child: ChildProcess; ended: Promise<[number | null, string]> } {
  const args = [CLI, 'run', join(FIXTURES, 'task.yaml'), plan, '--run-id', 'r1', '--json'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (written += piece));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve([code, written]))) };
}

describe('the processes of a tool', () => {
  it.each(
    (['obey', 'obey_apart', 'leave'] as const).flatMap((tool) =>
      (['SIGKILL', 'SIGINT'] as const).flatMap((signal) =>
        HEIRS.map((isBare) => [tool, signal, isBare] as const),
      ),
    ),
  )('started by %s are gone after a %s of the run (bare: %s)', async (tool, signal, isBare) => {
    const folder = temporaryFolder();
    const script = familyScript(folder, { isDeaf: true, isBare });
    const nodes = [
      { id: 'family', tool, script },
      { id: 'report', tool: 'obey', script: 'sleep 1000', deps: ['family'] },
    ];
    const { child, ended } = startRun(folder, planOf(...nodes));
    const family = await familyOf(folder);
    child.kill(signal);
    const [code, written] = await ended;
    if (signal === 'SIGINT') {
      expect(code, written).toBe(130);
      expect(family.filter(isAlive)).toEqual([]);
    }
    await expectGone(family);
  });

  it('are gone when the call ends that did not wait for them, and when the run ends that they may live with', async () => {
    const [kept, forgotten] = [temporaryFolder(), temporaryFolder()];
    const nodes = [
      { id: 'kept', tool: 'leave', script: familyScript(kept) },
      { id: 'forgotten', tool: 'forget', script: familyScript(forgotten), deps: ['kept'] },
      {
        ...{ id: 'report', tool: 'obey', deps: ['forgotten'] },
        script: `until [ -e ${kept}/stray ] && [ -e ${kept}/child ]; do sleep 0.02; done; kill -0 $(cat ${kept}/leader) && echo lives`,
      },
    ];
    const { ended } = startRun(temporaryFolder(), planOf(...nodes));
    const family = await familyOf(kept);
    const [code, written] = await ended;
    expect(code, written).toBe(0);
    const { answer, nodes: endings } = JSON.parse(written) as { answer: unknown; nodes: unknown };
    expect(answer).toEqual({ code: 0, signal: null, written: 'lives\n' });
    expect(endings).toMatchObject([{ state: 'done' }, { state: 'done' }, { state: 'done' }]);
    expect(family.filter(isAlive)).toEqual([]);
  });
});
