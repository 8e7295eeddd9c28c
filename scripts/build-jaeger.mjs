// A global set-up of the integration tests, and a command: builds Jaeger in the user's cache, once a machine, outside of
// any time limit.
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const service = fileURLToPath(new URL('../test/services/jaeger', import.meta.url));
const folder = join(homedir(), '.cache', 'sortie', 'jaeger');

/** Where the binary is kept. */
export const jaegerBinary = join(folder, 'jaeger');

/** Whether there is Go to build it with. */
export function hasGo() {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Builds Jaeger where there is Go; where that fails the tests that need it say so. */
export function setup() {
  if (!hasGo()) return;
  try {
    execFileSync(join(service, 'get-jaeger'), [service, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    console.error(`Jaeger could not be built: ${error instanceof Error ? error.message : String(error)}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
