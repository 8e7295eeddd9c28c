import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CITY_COMPARE, runCommand, SCRIPTED, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

describe('orchestrate init', () => {
  it('writes a task that gives a verified result at once', async () => {
    const written = await runCommand(folder, ['init', 'first']);
    expect(written.exitCode).toBe(0);
    expect(written.stdout).toContain('Next: orchestrate run first/task.yaml');
    const { exitCode, stdout } = await runCommand(folder, ['run', 'first/task.yaml']);
    expect(stdout).toMatch(/^status +verified/m);
    expect(stdout).toMatch(/^verdict +pass \(by judge/m);
    expect(exitCode).toBe(0);
  });

  it('writes a task whose comments hold: other fields and inputs from the command line', async () => {
    await runCommand(folder, ['init', 'second']);
    const { exitCode, stdout } = await runCommand(folder, [
      ...['run', 'second/task.yaml', '--input', 'text=Another text', '--concurrency=2', '--json'],
    ]);
    expect(exitCode).toBe(0);
    expect((JSON.parse(stdout) as { answer: unknown }).answer).toContain('Words: 2');
  });

  it('overwrites nothing, and writes nothing beside what is there', async () => {
    const target = join(folder, 'mine');
    mkdirSync(target);
    writeFileSync(join(target, 'tools.ts'), '// mine');
    const { exitCode, stderr } = await runCommand(folder, ['init', 'mine']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('mine/tools.ts: already there; nothing was written');
    expect(readFileSync(join(target, 'tools.ts'), 'utf8')).toBe('// mine');
    expect(existsSync(join(target, 'task.yaml'))).toBe(false);
  });

  it('says so where it cannot write', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const { exitCode, stderr } = await runCommand(folder, ['init', 'a-file/task']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('cannot write into a-file/task');
  });

  it.runIf(process.platform === 'linux')('comes to an end where a folder takes no other', async () => {
    const task = await runCommand(folder, ['init', '/proc/none/task']);
    expect([task.exitCode, task.stderr]).toEqual([
      2,
      expect.stringContaining('cannot write into /proc/none'),
    ]);
    const runs = await runCommand(folder, ['run', CITY_COMPARE, '--runs-folder', '/proc/none']);
    expect([runs.exitCode, runs.stderr]).toEqual([1, expect.stringContaining('/proc/none')]);
  });
});

describe('orchestrate check', () => {
  it('accepts a sound task', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['check', CITY_COMPARE]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('aggregate_report');
  });

  it('names every problem of a broken one as file:line:column path: problem', async () => {
    const task = [
      'name: broken',
      'goal: Do {{something}}',
      'tool: [./tools.ts]',
      'provider: mock',
      'concurrency: 0',
      'budget: { toolCalls: many }',
    ];
    writeFileSync(join(folder, 'broken.yaml'), task.join('\n'));
    const { exitCode, stdout, stderr } = await runCommand(folder, ['check', 'broken.yaml']);
    expect(exitCode).toBe(2);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^broken\.yaml:\d+:\d+( [\w.<>]+)?: ./);
    expect(stdout).toMatch(/^broken\.yaml:3:1 tool: .*did you mean tools\?/m);
    expect(stdout).toMatch(/^broken\.yaml:5:14 concurrency: /m);
    expect(stdout).toMatch(/^broken\.yaml:6:22 budget\.toolCalls: /m);
    expect(stderr).toContain(`${String(lines.length)} problems`);
  });

  it('names what is wrong with tools, provider and policy at their places', async () => {
    const task = [
      'name: broken',
      'goal: Do it',
      'tools: [./throws.ts, ./missing.ts]',
      'provider: ./throws.ts',
      'policy: { deny: [no_such_tool] }',
    ];
    writeFileSync(join(folder, 'modules.yaml'), task.join('\n'));
    writeFileSync(join(folder, 'throws.ts'), "throw new Error('no luck');");
    const { exitCode, stdout } = await runCommand(folder, ['check', 'modules.yaml', '--json']);
    expect(exitCode).toBe(2);
    const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: { path: string }[] };
    expect(ok).toBe(false);
    expect(problems.map(({ path }) => path)).toContain('tools.1');
  });
});

describe('orchestrate schema', () => {
  it('prints a JSON Schema of the task file', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['schema']);
    expect(exitCode).toBe(0);
    const schema = JSON.parse(stdout) as { properties: Record<string, unknown>; required: string[] };
    expect(Object.keys(schema.properties)).toContain('budget');
    expect(schema.required).toEqual(expect.arrayContaining(['name', 'goal', 'provider']));
  });
});

describe('orchestrate tools', () => {
  it('lists the live catalogue of a task', async () => {
    const { stdout } = await runCommand(folder, ['tools', SCRIPTED, '--policy.deny=fail']);
    expect(stdout).toMatch(/^name +effect +cost +description$/m);
    expect(stdout).toMatch(/^erase +irreversible +1 +Says that it erased/m);
    expect(stdout).toContain('Withheld by policy: fail');
  });

  it('lists the built-in tools, as JSON on demand', async () => {
    const { stdout } = await runCommand(folder, ['tools', '--json']);
    const { tools } = JSON.parse(stdout) as { tools: { name: string; input: unknown }[] };
    expect(tools.map(({ name }) => name)).toContain('read_file');
  });
});
