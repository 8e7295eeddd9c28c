/* Loaded code that ends the process, or waits for what never comes: the command says who it was, and what goes on. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

writeFileSync(at('exits.mjs'), 'const code = 0;\nprocess.exit(code);\n');
writeFileSync(at('exits-badly.ts'), 'const code: number = 7;\n\nprocess.exit(code);\n');
writeFileSync(at('exits-beside.mjs'), "import { told } from './exits.mjs';\nexport default told;\n");
writeFileSync(at('exits-late.mjs'), 'await Promise.resolve();\nprocess.exit(0);\n');
writeFileSync(at('waits.mjs'), 'await new Promise(() => undefined);\nexport const never = 1;\n');
writeFileSync(
  at('tools.mjs'),
  `import { existsSync, writeFileSync } from 'node:fs';
import { defineTool } from 'sortie';
const tool = (name, code) => defineTool({ name, description: 'x', input: { type: 'object' }, effect: 'read', costHint: 1,
  run() {
    if (existsSync(${JSON.stringify(at('healed'))})) return 'well';
    writeFileSync(${JSON.stringify(at('healed'))}, '');
    process.exit(code);
  } });
export const leaves = tool('leaves', 0);
export const fails = tool('fails', 7);
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
for (const tool of ['leaves', 'fails'])
  writeFileSync(at(`${tool}.json`), JSON.stringify({ nodes: [{ id: 'a', tool, args: {} }], output: 'a' }));

describe('a module of a task', () => {
  it.each([
    ['exits.mjs', /^error: \S+\/exits\.mjs:2: called process\.exit while it was loaded\n.*throw/],
    ['exits-badly.ts', /^error: \S+\/exits-badly\.ts:3: called process\.exit while it was loaded\n/],
    ['exits-late.mjs', /^error: \S+\/exits-late\.mjs:2: called process\.exit while it was loaded\n/],
    [
      'exits-beside.mjs',
      /^error: \S+\/exits\.mjs:2: called process\.exit while \S+\/exits-beside\.mjs was loaded\n/,
    ],
    ['waits.mjs', /^error: \S+\/waits\.mjs: never settles: .*\n.*await/],
  ])('(%s) is named, as one that throws', async (module, message) => {
    writeFileSync(at('broken.yaml'), JSON.stringify({ ...task, tools: [`./${module}`] }));
    for (const words of [
      ['check', 'broken.yaml'],
      ['run', 'broken.yaml', '--plan', 'leaves.json'],
    ]) {
      const { exitCode, stdout, stderr } = await runCommand(folder, words);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(stdout).toBe('');
      expect(exitCode).toBe(2);
    }
  });

  it.each([
    ['provider', { provider: './waits.mjs' }],
    ['hooks', { hooks: './waits.mjs' }],
    ['check', { verify: { judge: 'off', checks: [{ function: './waits.mjs#never' }] } }],
  ])('is named as %s, too', async (_, part) => {
    writeFileSync(at('broken.yaml'), JSON.stringify({ ...task, ...part }));
    const { exitCode, stderr } = await runCommand(folder, ['check', 'broken.yaml']);
    expect(stderr).toMatch(/^error: \S+\/waits\.mjs: never settles/);
    expect(exitCode).toBe(2);
  });
});

describe('a tool that ends the process', () => {
  it.each(['leaves', 'fails'])('(%s) leaves a run that is named, with what goes on', async (tool) => {
    rmSync(at('healed'), { force: true });
    const words = ['run', 'task.yaml', '--plan', `${tool}.json`, '--run-id', tool];
    const { exitCode, stderr } = await runCommand(folder, words);
    expect(stderr).toMatch(
      /^error: \S+\/tools\.mjs:7: called process\.exit; the run ends here, and its log is kept\n/,
    );
    expect(stderr).toContain(`\nNext: orchestrate resume ${tool} · `);
    expect(exitCode).toBe(1);
    const resumed = await runCommand(folder, ['resume', tool]);
    expect(resumed.stdout).toContain('well');
    expect(resumed.exitCode).toBe(0);
  });
});
