/* What a user's code throws outside of its calls: the command says so on one line, and the run can be taken up. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from './command.ts';

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
`,
);
writeFileSync(
  at('mock.mjs'),
  "import { defineMock } from 'sortie';\nexport default defineMock({ roles: {} });\n",
);
const task = {
  name: 't',
  goal: 'g',
  tools: ['./tools.mjs'],
  provider: './mock.mjs',
  verify: { judge: 'off' },
};
writeFileSync(at('task.yaml'), JSON.stringify(task));
for (const tool of ['rejects', 'throws'])
  writeFileSync(at(`${tool}.json`), JSON.stringify({ nodes: [{ id: 'a', tool, args: {} }], output: 'a' }));

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
