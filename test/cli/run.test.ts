import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/index.ts';
import { CITY_COMPARE, planOf, runCommand, SCRIPTED, startCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

function parseResult(stdout: string): RunResult {
  return JSON.parse(stdout) as RunResult;
}

describe('orchestrate run of the example', () => {
  it('prints the estimate, a line per notable event, the answer, the verdict, the spend and what to do next', async () => {
    const { exitCode, stdout, stderr } = await runCommand(folder, ['run', CITY_COMPARE]);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/plan +1: 10 nodes in 2 levels, 10 tool calls/);
    expect(stdout).toMatch(/budget: tokens \d+, toolCalls \d+.*limits: 5 at a time/);
    expect(stdout.match(/^ +\d+\.\d{3}s done /gm)).toHaveLength(10);
    expect(stdout).toContain('## Tokyo');
    expect(stdout).toMatch(/^status +verified/m);
    expect(stdout).toMatch(/^verdict +pass \(by judge/m);
    expect(stdout).toMatch(/^spent +10 tool calls/m);
    expect(stdout).toMatch(/\nNext: orchestrate show \S+ · orchestrate replay \S+\n$/);
    expect(stdout).not.toMatch(/\u001b/);
  });

  it('takes inputs from the command line and names each of them in the report', async () => {
    const { exitCode, stdout } = await runCommand(folder, [
      ...['run', CITY_COMPARE, '--input', 'cities=Paris,Osaka,Lima', '--json'],
    ]);
    expect(exitCode).toBe(0);
    const { answer } = parseResult(stdout);
    for (const city of ['Paris', 'Osaka', 'Lima']) expect(answer).toContain(`## ${city}`);
    expect(answer).not.toContain('## Tokyo');
  });

  it('prints the result object alone with --json', async () => {
    const { stdout, stderr } = await runCommand(folder, [
      'run',
      CITY_COMPARE,
      '--json',
      '--run-id',
      'as-json',
    ]);
    const result = parseResult(stdout);
    expect(result).toMatchObject({
      runId: 'as-json',
      status: 'verified',
      exitCode: 0,
      verdict: { outcome: 'pass' },
    });
    expect(typeof result.answer).toBe('string');
    expect(result.usage).toMatchObject({ toolCalls: 10, llmCalls: 3 });
    expect(result.nodes).toHaveLength(10);
    expect(result.nodes.every(({ state }) => state === 'done')).toBe(true);
    expect(stderr).toContain('10 nodes in 2 levels');
  });
});

describe('the exit code of orchestrate run', () => {
  it.each([
    ['verified', 0, []],
    ['unverified', 0, ['--verify.judge=off']],
    ['failed', 1, [planOf('fail', 'broken')]],
    ['rejected', 3, [planOf('say', 'wrong'), '--verify.revisions=0']],
    ['indeterminate', 3, [planOf('say', 'nonsense'), '--verify.revisions=0']],
    ['budget', 4, ['--budget.llmCalls=1']],
    ['waiting', 5, [planOf('erase', 'the disk')]],
    ['waiting', 5, [planOf('erase', 'the disk'), '--yes']],
    ['verified', 0, [planOf('erase', 'the disk'), '--yes=irreversible']],
  ])('is for %s %i', async (status, expected, args) => {
    const { exitCode, stdout } = await runCommand(folder, ['run', SCRIPTED, ...args]);
    expect(stdout).toMatch(new RegExp(`^status +${status} — `, 'm'));
    expect(exitCode).toBe(expected);
    expect(stdout).toMatch(/\nNext: orchestrate (show \S|why \S|replay \S|approvals )/);
  });

  it.each([
    ['a file that is not there', ['run', 'missing.yaml'], 'missing.yaml: no such file'],
    ['an unknown option', ['run', SCRIPTED, '--budget.toolCall=3'], 'Did you mean --budget.toolCalls?'],
    [
      'a value of the wrong type',
      ['run', SCRIPTED, '--budget.toolCalls=many'],
      '--budget.toolCalls: expected a number',
    ],
    ['an unknown input', ['run', SCRIPTED, '--input', 'plam=1'], 'did you mean plan?'],
    [
      'a plan that is not there',
      ['run', SCRIPTED, '--plan', 'missing.json'],
      '--plan missing.json: cannot be read',
    ],
    ['no command that exists', ['rnu', SCRIPTED], 'Did you mean `orchestrate run`?'],
  ])('is for %s 2, with nothing on the standard output', async (_name, args, message) => {
    const { exitCode, stdout, stderr } = await runCommand(folder, args);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it('is for a run id that is taken 2', async () => {
    await runCommand(folder, ['run', SCRIPTED, '--run-id', 'taken']);
    const { exitCode, stderr } = await runCommand(folder, ['run', SCRIPTED, '--run-id', 'taken']);
    expect(stderr).toContain('taken');
    expect(exitCode).toBe(2);
  });
});

describe('an interruption', () => {
  it('ends the run in order and leaves a whole log', async () => {
    const args = ['run', SCRIPTED, planOf('wait', '30000'), '--run-id', 'interrupted'];
    const { child, ended, sees } = startCommand(folder, args);
    await sees('0: 1 node');
    child.kill('SIGINT');
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(130);
    expect(stdout).toContain('Interrupted: ending in order');
    expect(stdout).toMatch(/^status +interrupted/m);
    expect(stdout).toContain('Next: orchestrate resume interrupted · orchestrate show interrupted');
    const replayed = await runCommand(folder, ['replay', 'interrupted']);
    expect(replayed.exitCode).toBe(0);
  });

  it('given twice ends the process at once', async () => {
    const args = [
      'run',
      SCRIPTED,
      planOf('stubborn', '30000'),
      '--run-id',
      'killed',
      '--limits.graceMs=30000',
    ];
    const { child, ended, sees } = startCommand(folder, args);
    await sees('digs in');
    child.kill('SIGINT');
    await sees('Interrupted');
    child.kill('SIGINT');
    const { exitCode, stdout, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stdout).not.toMatch(/^status/m);
    expect(stderr).toMatch(/^\nNext: orchestrate resume killed · [^\n]+\n$/);
    const shown = await runCommand(folder, ['runs', '--json']);
    expect(JSON.parse(shown.stdout)).toContainEqual(
      expect.objectContaining({ runId: 'killed', status: 'unfinished' }),
    );
  });
});

describe('tracing', () => {
  it('never changes the exit code: a collector that is not there is a warning', async () => {
    const { exitCode, stderr } = await runCommand(folder, ['run', SCRIPTED, '--otlp', 'http://127.0.0.1:9']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^warning: no spans were sent: .*127\.0\.0\.1:9/m);
  });
});
