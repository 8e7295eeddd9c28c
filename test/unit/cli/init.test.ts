import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import { recordIo } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'sortie-init-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('leaves nothing half written, which would keep the next attempt from its place', async () => {
  symlinkSync(join(folder, 'none', 'mock.ts'), join(folder, 'mock.ts'));
  const io = recordIo();
  expect(await runCli(['init', folder], io)).toBe(2);
  expect(io.written.stderr).toContain(`cannot write into ${folder}`);
  expect(readdirSync(folder)).toEqual(['mock.ts']);
});
