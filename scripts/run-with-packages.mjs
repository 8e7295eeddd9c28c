// Runs a test file with packages that are not installed for development, from a folder that is removed afterwards.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The exit code of the installation where that fails, else that of the tests.
 * @param {{ packages: readonly string[], npmrc: string, variable: string, project: string, test: string }} order
 *   `variable` is that of the environment which names the folder to the test
 */
export function runWithPackages({ packages, npmrc, variable, project, test }) {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-packages-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'scratch', private: true }));
    writeFileSync(join(folder, '.npmrc'), npmrc);
    const options = ['--no-audit', '--no-fund', '--loglevel=error'];
    const installed = run('npm', ['install', ...options, ...packages], folder);
    if (installed !== 0) return installed;
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const args = [vitest, 'run', '--project', project, '--reporter', 'default', test];
    // The report that CI reads is the whole run's.
    return run(process.execPath, args, root, { [variable]: folder, SORTIE_TEST_REPORT: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} [env]
 */
function run(command, args, cwd, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
    env: { ...process.env, ...env },
  });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}
