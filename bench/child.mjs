import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs a file of `children/` in a process of its own and returns the JSON line that it ends with.
 * @template Input, Output
 * @param {string} name
 * @param {Input} input
 * @param {readonly string[]} nodeFlags
 * @returns {Promise<Output>}
 */
export async function runChild(name, input, nodeFlags = []) {
  const file = fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, file, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ piece) => {
    text += piece;
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (code !== 0)
    throw new Error(`bench/children/${name}.mjs ended with ${code} for ${JSON.stringify(input)}`);
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
}

/**
 * What the parent asked for; used inside a child.
 * @template Input
 * @returns {Input}
 */
export function readInput() {
  return JSON.parse(process.argv[2] ?? '{}');
}

/**
 * Hands the result to the parent and ends the child, whatever timers a measured library has left.
 * @param {unknown} output
 */
export function writeOutput(output) {
  process.stdout.write(`${JSON.stringify(output)}\n`, () => process.exit(0));
}
