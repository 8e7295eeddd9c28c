import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plan, RunResult } from '../../src/index.ts';
import { CITY_COMPARE, planOf, runCommand, SCRIPTED, startCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

describe('orchestrate plan', () => {
  it('prints the nodes and the estimate, and runs no tool', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['plan', SCRIPTED, planOf('fail', 'never called')]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^report +fail +\{"text":"never called"\} +output$/m);
    expect(stdout).toContain('estimate: 1 node in 1 level, 1 tool call,');
    const runs = await runCommand(folder, ['runs', '--json']);
    expect(JSON.parse(runs.stdout)).toEqual([]);
  });

  it.each([
    ['json', (text: string) => (JSON.parse(text) as Plan).nodes.length === 10],
    ['mermaid', (text: string) => text.startsWith('flowchart')],
    ['dot', (text: string) => text.startsWith('digraph')],
  ])('prints %s alone on the standard output', async (format, isRight) => {
    const { exitCode, stdout, stderr } = await runCommand(folder, ['plan', CITY_COMPARE, '--format', format]);
    expect(exitCode).toBe(0);
    expect(isRight(stdout)).toBe(true);
    expect(stderr).toContain('estimate: 10 nodes');
  });

  it('writes a plan that run --plan runs exactly', async () => {
    const written = await runCommand(folder, ['plan', CITY_COMPARE, '--out', 'plan.json']);
    expect(written.stderr).toContain('--plan plan.json');
    const path = join(folder, 'plan.json');
    const plan = JSON.parse(readFileSync(path, 'utf8')) as Plan;
    const reviewed = { ...plan, nodes: plan.nodes.map((node) => ({ ...node, id: node.id })).reverse() };
    writeFileSync(path, JSON.stringify(reviewed));
    const { exitCode, stdout } = await runCommand(folder, [
      'run',
      CITY_COMPARE,
      '--plan',
      'plan.json',
      '--json',
    ]);
    expect(exitCode).toBe(0);
    const { nodes, usage } = JSON.parse(stdout) as RunResult;
    expect(nodes.map(({ id }) => id)).toEqual(reviewed.nodes.map(({ id }) => id));
    // The aggregator and the judge: no planner was asked.
    expect(usage.llmCalls).toBe(2);
  });

  it('ends with 130 at Ctrl-C, and says that nothing is kept', async () => {
    const mute = join(folder, 'mute.mjs');
    writeFileSync(
      mute,
      `export default { name: 'mute', complete: (_, { signal }) => new Promise((_resolve, reject) => {
        process.stdout.write('asked');
        signal.addEventListener('abort', () => reject(signal.reason));
        setTimeout(() => undefined, 60_000);
      }) };`,
    );
    const { child, ended, sees } = startCommand(folder, ['plan', SCRIPTED, `--provider=${mute}`]);
    await sees('asked');
    child.kill('SIGINT');
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('error: interrupted before a plan was accepted; nothing is kept of it\n');
    expect(stderr).not.toMatch(/resume|goal/);
  });

  it('names the same problems of an invalid plan, supplied or drawn', async () => {
    const broken = {
      nodes: [
        { id: 'a', tool: 'sya', args: { text: 'x' } },
        { id: 'b', tool: 'say', args: {}, deps: ['c'] },
      ],
      output: 'z',
    };
    writeFileSync(join(folder, 'broken.json'), JSON.stringify(broken));
    const supplied = await runCommand(folder, ['run', SCRIPTED, '--plan', 'broken.json']);
    expect(supplied.exitCode).toBe(2);
    // To take it up would be to ask a planner for another plan.
    expect(supplied.stdout).toMatch(/^Next: orchestrate why \S+ · orchestrate show \S+$/m);
    for (const command of ['show', 'why'])
      expect((await runCommand(folder, [command, 'last'])).stdout).not.toContain('resume');
    expect((await runCommand(folder, ['resume', 'last', '--retry-failed'])).exitCode).toBe(2);
    const drawn = await runCommand(folder, ['plan', SCRIPTED, `--input=plan=${JSON.stringify(broken)}`]);
    expect(drawn.exitCode).toBe(1);
    expect(drawn.stdout).toBe('');
    for (const code of ['unknown_tool a', 'invalid_args b', 'missing_dependency b', 'missing_output']) {
      expect(supplied.stdout).toContain(code);
      expect(drawn.stderr).toContain(code);
    }
    expect(supplied.stdout).not.toMatch(/^ +\d\.\d{3}s done/m);
  });
});
