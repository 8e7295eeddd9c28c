/* What a user's code throws outside of its calls: the command says so on one line, and the run can be taken up. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder, writeToolTask } from './command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

writeFileSync(
  at('tools.mjs'),
  `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool } from 'sortie';
const tool = (name, stray) => defineTool({ name, description: 'x', input: { type: 'object' }, effect: 'read', costHint: 1,
  async run() {
    if (!existsSync(${JSON.stringify(at('healed'))})) {
      writeFileSync(${JSON.stringify(at('healed'))}, '');
      stray();
      await delay(5000);
    }
    return 'well';
  } });
export const rejects = tool('rejects', () => {
  void Promise.reject(new Error('stray'));
});
export const throws = tool('throws', () => void setTimeout(() => {
  throw new TypeError('late\\nand more');
}, 1));
const trap = () => { throw new Error('trap'); };
export const structures = tool('structures', () => {
  Error.prepareStackTrace = (_, sites) => sites;
  void Promise.reject(new Error('structured'));
});
export const silences = tool('silences', () => {
  process.stderr.write = trap;
  void Promise.reject(new Error('silenced'));
});
export const hides = tool('hides', () => {
  void Promise.reject(new Proxy(new Error('hidden'), { get: trap, has: trap, getPrototypeOf: trap }));
});
`,
);
writeToolTask(folder, ['rejects', 'throws', 'structures', 'silences', 'hides']);

describe('a stray error of a tool', () => {
  beforeEach(() => rmSync(at('healed'), { force: true }));

  it.each([
    ['rejects', 'stray', 14],
    ['throws', 'late', 17],
  ])('(%s) ends the process with one line and the command that goes on', async (tool, message, line) => {
    const words = ['run', 'task.yaml', '--plan', `${tool}.json`, '--run-id', tool];
    const { exitCode, stderr } = await runCommand(folder, words);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^error: \\S*tools\\.mjs:${line}: ${message} \\(nobody caught it; the run ends here`),
    );
    expect(stderr).not.toMatch(/^ +at |Node\.js v|and more/m);
    expect(stderr).toContain(`\nNext: orchestrate resume ${tool} · `);
    const resumed = await runCommand(folder, ['resume', tool]);
    expect(resumed.stdout).toContain('well');
    expect(resumed.exitCode).toBe(0);
  });

  it.each([
    ['structures', 'structured'],
    ['hides', 'threw an object'],
  ])('(%s) is told of whatever it is', async (tool, message) => {
    const words = ['run', 'task.yaml', '--plan', `${tool}.json`, '--run-id', tool];
    const { exitCode, stderr } = await runCommand(folder, words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `error: ${message} (nobody caught it; the run ends here, and its log is kept)\n`,
    );
    expect(stderr).not.toMatch(/^ +at |Node\.js v/m);
    expect(stderr).toContain(`\nNext: orchestrate resume ${tool} · `);
  });

  it('names the run with --debug, too, where its stack cannot be read', async () => {
    const words = ['run', 'task.yaml', '--plan', 'hides.json', '--debug', '--run-id', 'debugged'];
    const { exitCode, stderr } = await runCommand(folder, words);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: threw an object \(nobody caught it.*\nIts stack cannot be read\.\n/);
    expect(stderr).toContain('\nNext: orchestrate resume debugged · ');
  });

  it('ends the process where it took the error stream along', async () => {
    const { exitCode, stderr } = await runCommand(folder, ['run', 'task.yaml', '--plan', 'silences.json']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: loaded code ended the process, and broke what would say where\n');
  });

  it('shows its stack with --debug', async () => {
    const { exitCode, stderr } = await runCommand(folder, [
      'run',
      'task.yaml',
      '--plan',
      'rejects.json',
      '--debug',
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^ +at .*tools\.mjs:14/m);
  });
});
