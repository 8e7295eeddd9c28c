import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runCommand, SCRIPTED, startCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

/** The option that has the scripted task run these nodes. */
function planOf(...nodes: readonly object[]): string {
  const last = nodes.at(-1) as { id: string };
  return `--input=plan=${JSON.stringify({ nodes, output: last.id })}`;
}

const say = (id: string, ...deps: string[]) => ({ id, tool: 'say', args: { text: id }, deps });
const wait = (id: string, ms: number, ...deps: string[]) => ({
  id,
  tool: 'wait',
  args: { text: String(ms) },
  deps,
});
const erase = (id: string) => ({ id, tool: 'erase', args: { text: 'the disk' } });

describe('orchestrate resume', () => {
  it('goes on with a run that was interrupted, and with one whose process was killed', async () => {
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const id = `cut-${signal.toLowerCase()}`;
      const plan = planOf(say('a'), wait('b', 700, 'a'), say('report', 'b'));
      const { child, ended, sees } = startCommand(folder, ['run', SCRIPTED, plan, '--run-id', id]);
      await sees('done      a');
      await sees('level     1');
      // What is shown is not yet what is synced.
      await delay(200);
      child.kill(signal);
      const cut = await ended;
      if (signal === 'SIGINT') {
        expect(cut.exitCode).toBe(130);
        expect(cut.stdout).toContain(`Next: orchestrate resume ${id}`);
      }
      const resumed = await runCommand(folder, ['resume', id]);
      expect(resumed.stdout).toMatch(
        new RegExp(`^resume ${id}: keeps 1, re-runs 1, in doubt 0, not begun 1\n  re-runs b\n`),
      );
      expect(resumed.stdout).toContain('status   verified');
      expect(resumed.exitCode).toBe(0);
      const replayed = await runCommand(folder, ['replay', id, '--strict']);
      expect(replayed.stdout).toContain('same');
    }
  });

  it('says how a run ended where nothing is left to do, and takes no field but those of the budget', async () => {
    await runCommand(folder, ['run', SCRIPTED, '--run-id', 'whole']);
    const again = await runCommand(folder, ['resume', 'whole']);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain('run whole ended verified');
    expect((await runCommand(folder, ['resume', 'whole', '--concurrency=2'])).stderr).toContain(
      'there is no option --concurrency',
    );
  });

  it('runs what failed again, and continues a run under a larger budget', async () => {
    const failing = await runCommand(folder, [
      'run',
      SCRIPTED,
      planOf(say('a'), { ...say('report', 'a'), tool: 'fail' }),
      '--run-id',
      'failing',
    ]);
    expect(failing.stdout).toContain('orchestrate resume failing --retry-failed');
    const retried = await runCommand(folder, ['resume', 'failing', '--retry-failed', '--json']);
    expect(retried.exitCode).toBe(1);
    expect(retried.stderr).toMatch(/^resume failing: keeps 1, re-runs 1/);
    expect((JSON.parse(retried.stdout) as { nodes: unknown }).nodes).toMatchObject([
      { id: 'a', attempts: 1 },
      { id: 'report', attempts: 2 },
    ]);
    const poor = await runCommand(folder, [
      'run',
      SCRIPTED,
      planOf(say('a'), wait('b', 900, 'a'), say('report', 'b')),
      '--run-id',
      'poor',
      '--budget.wallSeconds=0.5',
    ]);
    expect(poor.exitCode).toBe(4);
    const richer = await runCommand(folder, ['resume', 'poor', '--budget.wallSeconds=60']);
    expect(richer.stdout).toContain('status   verified');
  });

  it('of two at once leaves the run to one, and the other says who holds it', async () => {
    const plan = planOf(wait('a', 600), say('report', 'a'));
    const { child, sees } = startCommand(folder, ['run', SCRIPTED, plan, '--run-id', 'twice']);
    await sees('level     0');
    await delay(200);
    child.kill('SIGKILL');
    const [one, two] = await Promise.all([
      runCommand(folder, ['resume', 'twice']),
      runCommand(folder, ['resume', 'twice']),
    ]);
    const [winner, loser] = one.exitCode === 0 ? [one, two] : [two, one];
    expect(winner.stdout).toContain('status   verified');
    expect(loser.exitCode).toBe(1);
    expect(loser.stderr).toMatch(/run twice is held by process \d+/);
  });
});

describe('orchestrate approvals, approve and deny', () => {
  it('answer a run that rests, and say what is true', async () => {
    const waiting = await runCommand(folder, [
      'run',
      SCRIPTED,
      planOf(say('a'), erase('s'), say('report', 'a', 's')),
      '--run-id',
      'resting',
    ]);
    expect(waiting.exitCode).toBe(5);
    expect(waiting.stdout).toContain('Next: orchestrate approvals');
    const listed = await runCommand(folder, ['approvals']);
    expect(listed.stdout).toContain('s of resting wants to call erase (irreversible), asked');
    expect(listed.stdout).toContain('{"text":"the disk"}');
    expect((await runCommand(folder, ['approve', 'resting', 'a'])).stderr).toContain('waits for nobody');
    const wrong = await runCommand(folder, ['approve', 'resting', 's', '--args', '{"text":3}']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--args /text') as string });
    expect((await runCommand(folder, ['approve', 'resting', 's', '--args', '{'])).exitCode).toBe(2);
    const approved = await runCommand(folder, ['approve', 'resting', 's', '--args', '{"text":"a tape"}'], {
      USER: 'ann',
    });
    expect(approved.stdout).toBe('approved; nothing runs now: continue with `orchestrate resume resting`\n');
    const late = await runCommand(folder, ['deny', 'resting', 's']);
    expect(late.exitCode).toBe(1);
    expect(late.stderr).toContain('s of run resting: ann said approved on ');
    expect((await runCommand(folder, ['approvals'])).stdout).toContain('Nothing waits for a person.');
    const resumed = await runCommand(folder, ['resume', 'resting', '--json']);
    expect(resumed.exitCode).toBe(0);
    const { nodes } = JSON.parse(resumed.stdout) as { nodes: { id: string; state: string }[] };
    expect(nodes.every(({ state }) => state === 'done')).toBe(true);
  });

  it('reach a run that goes on', async () => {
    const plan = planOf(wait('a', 4000), erase('s'), say('report', 'a', 's'));
    const { ended, sees } = startCommand(folder, ['run', SCRIPTED, plan, '--run-id', 'live', '--walk=eager']);
    await sees('waits for a person');
    const denied = await runCommand(folder, ['deny', 'live', 's', '--reason', 'not now'], { USER: 'ben' });
    expect(denied.stdout).toBe('denied; the run goes on\n');
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(1);
    expect(stdout).toContain('ben denied it: not now');
  });

  it('--yes covers what writes; what is irreversible needs to be named', async () => {
    const plan = planOf(erase('report'));
    expect((await runCommand(folder, ['run', SCRIPTED, plan, '--yes'])).exitCode).toBe(5);
    expect((await runCommand(folder, ['run', '--yes', SCRIPTED, plan])).exitCode).toBe(5);
    expect((await runCommand(folder, ['run', SCRIPTED, plan, '--yes=irreversible'])).exitCode).toBe(0);
    expect((await runCommand(folder, ['run', SCRIPTED, plan, '--yes=all'])).exitCode).toBe(2);
  });
});

describe('orchestrate fork, diff, verify-log, export and import', () => {
  it('work on recorded runs', async () => {
    await runCommand(folder, ['run', SCRIPTED, planOf(say('a'), say('report', 'a')), '--run-id', 'origin']);
    const forked = await runCommand(folder, [
      'fork',
      'origin',
      '--at',
      'report',
      '--set',
      'report.args.text=other',
      '--run-id',
      'forked',
    ]);
    expect(forked.exitCode).toBe(0);
    expect(forked.stdout).toContain('not charged: 1 tool call · 1 model call');
    expect(forked.stdout).toMatch(/^other$/m);
    const compared = await runCommand(folder, ['diff', 'origin', 'forked']);
    expect(compared.stdout).toMatch(/^report +done report +done other$/m);
    expect((await runCommand(folder, ['replay', 'forked', '--strict'])).stdout).toContain('same');
    expect((await runCommand(folder, ['fork', 'origin', '--at', 'nowhere'])).exitCode).toBe(2);

    expect((await runCommand(folder, ['verify-log', 'forked'])).stdout).toContain('sound: ');
    const file = join(folder, '.orchestrate', 'runs', 'forked', 'flight.jsonl');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"run.forked"', '"run.Forked"'));
    const bad = await runCommand(folder, ['verify-log', 'forked']);
    expect(bad.exitCode).toBe(1);
    expect(bad.stdout).toMatch(/^bad: event \d+ at byte \d+ of .*flight.jsonl: .*\n  .*run.Forked/);
    writeFileSync(file, text);

    const exported = await runCommand(folder, ['export', 'forked', '--out', 'run.json']);
    expect(exported.stdout).toContain('0 texts redacted');
    const imported = await runCommand(folder, ['import', 'run.json', '--runs-folder', 'others']);
    expect(imported.stdout).toContain('imported forked: ');
    expect(imported.stdout).toContain('computed anew');
    expect((await runCommand(folder, ['replay', 'forked', '--runs-folder', 'others'])).stdout).toContain(
      'same',
    );
  });
});
