// `npm run demo`: installs and builds what a fresh clone lacks, then runs the example task.
// It needs nothing but Node and npm.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const TASK = 'examples/city-compare/city-compare.yaml';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`This needs Node 20.19 or newer; you run ${process.version}.`);
  process.exit(2);
}

// npm writes this file last, so an interrupted install is repeated.
if (!existsSync(`${root}/node_modules/.package-lock.json`)) {
  console.error('Installing dependencies (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund'], process.platform === 'win32');
}
run(process.execPath, ['scripts/build.mjs', '--if-stale']);
run(process.execPath, ['dist/cli.cjs', 'run', TASK, ...process.argv.slice(2)]);

/**
 * Ends this process with the command's exit code unless it succeeds.
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args, shell = false) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
