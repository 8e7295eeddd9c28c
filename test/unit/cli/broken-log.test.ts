/* A run whose log can no longer be written: what was logged until then can be gone on with, and the command says how. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import { recordIo } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'sortie-broken-log-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('names the command that goes on where a log cannot be written', async () => {
  // A long result stands in a file of its own, for which there is no folder now.
  writeFileSync(
    at('tools.mjs'),
    `import { rmSync, writeFileSync } from 'node:fs';
import { defineTool } from 'sortie';
export const breaks = defineTool({ name: 'breaks', description: 'x', input: { type: 'object' }, effect: 'read', costHint: 1,
  run() {
    const blobs = ${JSON.stringify(at('runs/x/blobs'))};
    rmSync(blobs, { recursive: true, force: true });
    writeFileSync(blobs, '');
    return 'long '.repeat(10_000);
  } });
`,
  );
  writeFileSync(
    at('task.yaml'),
    'name: x\ngoal: y\ntools: [./tools.mjs]\nprovider: anthropic\nmodels: {planner: m}\nverify: {judge: off}\n',
  );
  writeFileSync(at('plan.json'), '{"nodes":[{"id":"a","tool":"breaks","args":{}}],"output":"a"}');
  const io = recordIo({ ANTHROPIC_API_KEY: 'none' });
  const words = [
    'run',
    at('task.yaml'),
    '--plan',
    at('plan.json'),
    '--run-id',
    'x',
    '--runs-folder',
    at('runs'),
  ];
  expect(await runCli(words, io)).toBe(1);
  expect(io.written.stderr).toMatch(/^error: .*blobs.*\n.*\n\nNext: orchestrate resume x --runs-folder /);
  // What comes after it in the same process does not tell of it again.
  const after = recordIo();
  expect(await runCli(['run', at('none.yaml')], after)).toBe(2);
  expect(after.written.stderr).not.toContain('Next:');
});
