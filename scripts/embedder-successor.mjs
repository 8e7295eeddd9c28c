// Runs the embedder's contract once more, with the maintained line of transformers.js, which is not installed for
// development (475 MB): it is installed into a folder that is removed afterwards.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUCCESSOR = '@huggingface/transformers@^4.3.2';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sortie-successor-'));
process.exitCode = runContract();
rmSync(folder, { recursive: true, force: true });

function runContract() {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'successor', private: true }));
  // Otherwise its runtime downloads the CUDA libraries.
  writeFileSync(join(folder, '.npmrc'), 'onnxruntime-node-install=skip\n');
  const installed = run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', SUCCESSOR], folder);
  if (installed !== 0) return installed;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const test = 'test/contract/memory-embedder.test.ts';
  return run(process.execPath, [vitest, 'run', '--project', 'contract', '--reporter', 'default', test], root);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
    // The report that CI reads is the whole run's.
    env: { ...process.env, SORTIE_TRANSFORMERS_FROM: folder, SORTIE_TEST_REPORT: '' },
  });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}
