import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { keptPlaces } from '../../../src/compose/kept-places.ts';
import { taskSchema } from '../../../src/contracts/task.ts';
import { moduleFiles } from '../../../src/tools/module-files.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(temporaryFolder());
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const NOWHERE = { run: { folder: null } };

it('finds what a module imports from beside it, as far as that goes and in a circle too', async () => {
  const folder = folderOf({
    'tools.ts':
      "import { a } from './a.js';\nimport type { B } from \"./lib\";\nexport * from './c.mts';\nawait import('./d');\nimport 'zod';\nimport './gone.js';",
    'a.ts': "import '../outside.ts'; require('./e.cjs');",
    'lib/index.ts': "import './deep.js';",
    'lib/deep.ts': "import '../tools.ts';",
    'c.mts': '',
    'd.js': '',
    'e.cjs': '',
    'other.ts': '',
  });
  expect((await moduleFiles([join(folder, 'tools.ts')])).sort()).toEqual(
    ['a.ts', 'c.mts', 'd.js', 'e.cjs', 'lib/deep.ts', 'lib/index.ts', 'tools.ts'].map((name) =>
      join(folder, name),
    ),
  );
});

it('keeps what servers and commands of a task run, and not the files that they are given', async () => {
  const folder = folderOf({ 'srv.mjs': '', 'notes.db': '', 'bin/key': '', 'get.sh': '', 'own.py': '' });
  chmodSync(join(folder, 'bin/key'), 0o755);
  const task = taskSchema.parse({
    ...{ name: 'x', goal: 'x', tools: [] },
    provider: { name: 'openai', credentialCommand: 'sh ./get.sh | ./bin/key' },
    mcp: { one: { command: 'node', args: ['srv.mjs', 'notes.db'] }, two: { command: './own.py' } },
  });
  const { fixed } = await keptPlaces({ task, folder, file: null }, {}, NOWHERE);
  const files = ['srv.mjs', 'own.py', 'get.sh', 'bin/key'].map((name) => join(folder, name));
  expect(fixed).toEqual(expect.arrayContaining(files));
  expect(fixed).not.toContain(join(folder, 'notes.db'));
});

it('hides the runs, the folder around them, and the memory of the task, by real paths and the links on the way', async () => {
  const folder = folderOf({ 'real/.orchestrate/runs/r1/flight.jsonl': '' });
  symlinkSync('real', join(folder, 'linked'));
  const task = taskSchema.parse({
    ...{ name: 'x', goal: 'x', tools: [], provider: 'mock', memory: { path: 'notes/memory.db' } },
  });
  const runsFolder = join(folder, 'linked/.orchestrate/runs');
  const { hidden } = await keptPlaces({ task, folder, file: null }, { runsFolder }, NOWHERE);
  expect(hidden).toEqual(
    expect.arrayContaining([
      ...[
        'real/.orchestrate',
        'linked',
        'notes/memory.db',
        'notes/memory.db-wal',
        'notes/agent-notes.json',
      ].map((name) => join(folder, name)),
      resolve('.orchestrate'),
    ]),
  );
});

it('hides each run and what goes with it where runs are kept in the workspace itself', async () => {
  const folder = folderOf({ 'r1/flight.jsonl': '', 'r2/flight.jsonl': '', 'src/a.ts': '' });
  const task = taskSchema.parse({ name: 'x', goal: 'x', tools: [], provider: 'mock' });
  const { hidden } = await keptPlaces({ task, folder, file: null }, { runsFolder: folder }, NOWHERE);
  expect(hidden).toEqual(
    expect.arrayContaining(['r1', 'r2', 'tools.json', 'memory.db'].map((name) => join(folder, name))),
  );
  expect(hidden).not.toContain(folder);
  expect(hidden).not.toContain(join(folder, 'src'));
});
