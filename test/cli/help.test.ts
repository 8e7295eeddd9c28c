import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { ERROR_CODES } from '../../src/kernel/errors.ts';
import { runCommand, SCRIPTED, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

describe('the help', () => {
  it('lists every command, and is what no command at all prints', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['--help']);
    expect(exitCode).toBe(0);
    for (const name of Object.keys(COMMANDS))
      expect(stdout).toMatch(new RegExp(`^ +orchestrate ${name}\\b`, 'm'));
    expect((await runCommand(folder, [])).stdout).toBe(stdout);
  });

  it('of a command has every field of the task with its default', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['run', '--help'], { COLUMNS: '200' });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/--budget\.toolCalls +Calls of tools/);
    expect(stdout).toMatch(/--limits\.replans +Replans of a run.*default 2/);
    expect(stdout).toContain('--input');
  });

  it('has the version of the package', async () => {
    const { stdout } = await runCommand(folder, ['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await runCommand(folder, ['run', '--version'])).stdout).toBe(stdout);
  });

  it('is never contradicted by a hint: every command that a hint names exists', () => {
    const named = Object.values(ERROR_CODES).flatMap(({ hint }) => [
      ...hint.matchAll(/orchestrate ([a-z]+)/g),
    ]);
    expect(named.map(([, name]) => name).filter((name) => !Object.hasOwn(COMMANDS, name ?? ''))).toEqual([]);
    const { commands } = COMMANDS['memory'] as Extract<(typeof COMMANDS)[string], { commands: unknown }>;
    const below = Object.values(ERROR_CODES).flatMap(({ hint }) => [
      ...hint.matchAll(/orchestrate memory ([a-z]+)/g),
    ]);
    expect(below.length).toBeGreaterThan(0);
    expect(below.map(([, name]) => name).filter((name) => !Object.hasOwn(commands, name ?? ''))).toEqual([]);
  });
});

describe('orchestrate completion', () => {
  it.each(['bash', 'zsh'])('prints a script for %s', async (shell) => {
    const { exitCode, stdout } = await runCommand(folder, ['completion', shell]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('_orchestrate_yargs_completions');
    expect(stdout.includes('compdef')).toBe(shell === 'zsh');
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: stdout });
  });

  it('completes commands, options and fields of the task', async () => {
    const env = { SHELL: '/bin/bash' };
    const commands = await runCommand(folder, ['--get-yargs-completions', 'orchestrate', 'r'], env);
    expect(commands.stdout.split('\n')).toEqual(expect.arrayContaining(['run', 'runs', 'replay']));
    const options = await runCommand(folder, ['--get-yargs-completions', 'orchestrate', 'run', '--'], env);
    expect(options.stdout.split('\n')).toEqual(
      expect.arrayContaining(['--json', '--input', '--budget.toolCalls']),
    );
  });
});

describe('orchestrate doctor', () => {
  it('says of each thing how it stands', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['doctor', SCRIPTED]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ok +node \d/m);
    expect(stdout).toMatch(/^ok +runs folder .* can be written/m);
    expect(stdout).toMatch(/^ok +task scripted loads with 5 tools/m);
    expect(stdout).toMatch(/^ok +tracing is off/m);
  });

  it('fails with what to do where something does not stand well', async () => {
    const { exitCode, stdout } = await runCommand(folder, [
      'doctor',
      'missing.yaml',
      '--runs-folder',
      '/proc/runs',
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^fail +missing\.yaml does not load: .*\n +→ /m);
    expect(stdout).toMatch(/^fail +runs folder \/proc\/runs cannot be written: .*\n +→ /m);
  });

  it('tries to reach the collector', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const reached = await runCommand(folder, ['doctor'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
    });
    await new Promise((resolve) => server.close(resolve));
    expect(reached.stdout).toMatch(/^ok +the OTLP endpoint .* is reachable/m);
    const missed = await runCommand(folder, ['doctor', '--otlp', `http://127.0.0.1:${String(port)}`]);
    expect(missed.stdout).toMatch(/^warn +the OTLP endpoint .* is not reachable/m);
    expect(missed.exitCode).toBe(0);
  });
});
