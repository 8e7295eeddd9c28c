import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { planOf, SCRIPTED, temporaryFolder } from './command.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

const folder = temporaryFolder();

/** The built command in a folder of its own, where its code caches may be spoilt. */
function copyCommand(): { dist: string; caches: string[] } {
  const root = mkdtempSync(join(folder, 'package-'));
  const dist = join(root, 'dist');
  cpSync(join(PACKAGE, 'dist'), dist, { recursive: true });
  cpSync(join(PACKAGE, 'package.json'), join(root, 'package.json'));
  const caches = readdirSync(dist).filter((name) => name.endsWith('.cache'));
  return { dist, caches: caches.map((name) => join(dist, name)) };
}

/** Runs a task whose modules were never compiled, so that every cache is wanted. */
function runTask(dist: string, nodeFlags: readonly string[] = []): unknown {
  const command = [join(dist, 'cli.cjs'), 'run', SCRIPTED, planOf('say', 'hello'), '--json'];
  // The copy has no packages beside it, and would warn that it cannot keep memories.
  const args = [...nodeFlags, ...command, '--memory.enabled=false'];
  const env = { ...process.env, TMPDIR: mkdtempSync(join(folder, 'empty-')) };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stderr, answer: (JSON.parse(stdout) as { answer: unknown }).answer };
}

const RIGHT = { status: 0, stderr: expect.not.stringMatching(/warning|error/i) as unknown, answer: 'hello' };

describe('the code caches of the command', () => {
  it('are taken by the Node that made them', () => {
    const { dist, caches } = copyCommand();
    expect(caches).toHaveLength(2);
    const code = `
      const { loadCached, loadedScripts } = require(${JSON.stringify(join(dist, 'load-cached.cjs'))});
      process.argv = [process.execPath, 'orchestrate', 'schema'];
      process.on('exit', () => process.stderr.write(String(loadedScripts.get('cli-main.cjs').cachedDataRejected)));
      loadCached('cli-main.cjs');`;
    expect(spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' }).stderr).toBe('false');
    expect(runTask(dist)).toEqual(RIGHT);
  });

  it('do not tell where they were made', () => {
    const { dist } = copyCommand();
    const args = [join(dist, 'cli.cjs'), 'run', 'absent.yaml', '--debug'];
    const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(stderr).toMatch(/^ {4}at .*\(cli-main\.cjs:\d+:\d+\)$/m);
    expect(stderr).not.toContain(PACKAGE);
  });

  const damages: [string, (file: string) => void][] = [
    [
      'damaged',
      (file) =>
        writeFileSync(
          file,
          readFileSync(file).map((byte, at) => (at > 999 ? byte ^ 85 : byte)),
        ),
    ],
    ['cut short', (file) => truncateSync(file, 5000)],
    ['empty', (file) => truncateSync(file, 0)],
    ['gone', (file) => rmSync(file)],
  ];
  it.each(damages)('change nothing when they are %s', (_, damage) => {
    const { dist, caches } = copyCommand();
    caches.forEach(damage);
    expect(runTask(dist)).toEqual(RIGHT);
  });

  it('change nothing when V8 refuses them', () => {
    expect(runTask(copyCommand().dist, ['--no-opt'])).toEqual(RIGHT);
  });
});
