// `npm run bench`: builds what is stale, installs the peers (dependencies of bench/ alone) where they are missing, and
// measures. Arguments are passed on.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const benchFolder = `${root}/bench`;

// npm writes this file last, so an interrupted install is repeated.
if (!existsSync(`${benchFolder}/node_modules/.package-lock.json`)) {
  console.error('Installing the peers in bench/ (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund'], benchFolder, process.platform === 'win32');
}
run(process.execPath, ['scripts/build.mjs', '--if-stale'], root);
run(process.execPath, ['bench/main.mjs', ...process.argv.slice(2)], root);

/**
 * Ends this process with the command's exit code unless it succeeds.
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd, shell = false) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', shell });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
