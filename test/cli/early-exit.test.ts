/* Loaded code that ends the process, or waits for what never comes: the command says who it was, and what goes on. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand, startCommand, temporaryFolder, writeToolTask } from './command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

const TOOLS = ['leaves', 'fails', 'quits', 'structures', 'traps'];

writeFileSync(at('exits.mjs'), 'const code = 0;\nprocess.exit(code);\n');
writeFileSync(at('exits-badly.ts'), 'const code: number = 7;\n\nprocess.exit(code);\n');
writeFileSync(at('exits-beside.mjs'), "import { told } from './exits.mjs';\nexport default told;\n");
writeFileSync(at('exits-late.mjs'), 'await Promise.resolve();\nprocess.exit(0);\n');
writeFileSync(at('waits.mjs'), 'await new Promise(() => undefined);\nexport const never = 1;\n');
writeFileSync(at('exits-130.mjs'), 'process.exit(130);\n');
writeFileSync(
  at('throws-structured.ts'),
  "Error.prepareStackTrace = (_, sites) => sites;\nthrow new Error('mine');\n",
);
writeFileSync(
  at('throws-proxy.mjs'),
  `const trap = () => { throw new Error('trap'); };
throw new Proxy(new Error('mine'), { get: trap, has: trap, getPrototypeOf: trap });
`,
);
writeFileSync(at('throws-null.mjs'), 'throw null;\n');
writeFileSync(
  at('waits-long.mjs'),
  "process.stdout.write('loading');\nawait new Promise((go) => setTimeout(go, 1e9));\n",
);
writeFileSync(
  at('tools.mjs'),
  `import { existsSync, writeFileSync } from 'node:fs';
import { defineTool } from 'sortie';
const tool = (name, code, prepare) => defineTool({ name, description: 'x', input: { type: 'object' }, effect: 'read', costHint: 1,
  run() {
    if (existsSync(${JSON.stringify(at('healed'))})) return 'well';
    writeFileSync(${JSON.stringify(at('healed'))}, '');
    if (prepare !== undefined) Error.prepareStackTrace = prepare;
    if (name === 'silences') process.stderr.write = prepare;
    try { process.exit(code); } catch { return 'went on'; }
  } });
export const leaves = tool('leaves', 0);
export const fails = tool('fails', 7);
export const quits = tool('quits', 130);
export const structures = tool('structures', 0, (_, sites) => sites);
export const traps = tool('traps', 0, () => { throw new Error('trap'); });
export const silences = tool('silences', 0, () => { throw new Error('trap'); });
`,
);
const task = writeToolTask(folder, [...TOOLS, 'silences']);

describe('a module of a task', () => {
  it.each([
    ['exits.mjs', /^error: \S+\/exits\.mjs:2: called process\.exit while it was loaded\n.*throw/],
    ['exits-badly.ts', /^error: \S+\/exits-badly\.ts:3: called process\.exit while it was loaded\n/],
    ['exits-late.mjs', /^error: \S+\/exits-late\.mjs:2: called process\.exit while it was loaded\n/],
    [
      'exits-beside.mjs',
      /^error: \S+\/exits\.mjs:2: called process\.exit while \S+\/exits-beside\.mjs was loaded\n/,
    ],
    ['exits-130.mjs', /^error: \S+\/exits-130\.mjs:1: called process\.exit while it was loaded\n/],
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

describe('a module that throws', () => {
  it.each([
    ['throws-structured.ts', 'mine'],
    ['throws-proxy.mjs', 'threw an object'],
    ['throws-null.mjs', 'threw null'],
  ])('(%s) is named, whatever it throws', async (module, message) => {
    writeFileSync(at('broken.yaml'), JSON.stringify({ ...task, tools: [`./${module}`] }));
    for (const words of [
      ['check', 'broken.yaml'],
      ['run', 'broken.yaml', '--plan', 'leaves.json'],
    ]) {
      const { exitCode, stdout, stderr } = await runCommand(folder, words);
      expect(stdout + stderr).toContain(`/${module}: ${message} (`);
      expect(stderr).not.toMatch(/^ +at |unexpected/m);
      expect(exitCode).toBe(2);
    }
  });
});

describe('a module that waits for long', () => {
  it.each(['run', 'plan'])('is named when Ctrl-C ends %s, at once', async (command) => {
    writeFileSync(at('long.yaml'), JSON.stringify({ ...task, tools: ['./waits-long.mjs'] }));
    const { child, ended, sees } = startCommand(folder, [command, 'long.yaml']);
    await sees('loading');
    child.kill('SIGINT');
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const { exitCode, stdout, stderr } = await ended;
    clearTimeout(late);
    expect(stderr).toMatch(
      /^error: interrupted while \S+\/waits-long\.mjs was loaded\nNothing was begun[^\n]*\n$/,
    );
    expect(stdout).toBe('loading');
    expect(exitCode).toBe(130);
  });
});

describe('a tool that ends the process', () => {
  it.each(TOOLS)('(%s) leaves a run that is named, with what goes on', async (tool) => {
    rmSync(at('healed'), { force: true });
    const words = ['run', 'task.yaml', '--plan', `${tool}.json`, '--run-id', tool];
    const { exitCode, stderr } = await runCommand(folder, words);
    expect(stderr).toMatch(
      /^error: \S+\/tools\.mjs:9: called process\.exit; the run ends here, and its log is kept\n/,
    );
    expect(stderr).toContain(`\nNext: orchestrate resume ${tool} · `);
    expect(exitCode).toBe(1);
    const resumed = await runCommand(folder, ['resume', tool]);
    expect(resumed.stdout).toContain('well');
    expect(resumed.exitCode).toBe(0);
  });

  it('is not gone on with where it took the error stream along', async () => {
    rmSync(at('healed'), { force: true });
    const words = ['run', 'task.yaml', '--plan', 'silences.json'];
    const { exitCode, stdout, stderr } = await runCommand(folder, words);
    expect(stderr).toBe('error: loaded code ended the process, and broke what would say where\n');
    expect(stdout).not.toContain('went on');
    expect(exitCode).toBe(1);
  });
});
