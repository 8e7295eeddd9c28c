import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, medianRatio } from '../measure.mjs';
import { boundedRow, formatNumber } from '../report.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(root, 'dist', 'cli.cjs');
const TASK = join(root, 'examples', 'city-compare', 'city-compare.yaml');

/**
 * What starting the command costs, against starting Node with nothing to do.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<import('../report.mjs').Row[]>}
 */
export async function measureCold({ isQuick }) {
  const folder = await mkdtemp(join(tmpdir(), 'sortie-bench-'));
  /** @type {Record<'bare' | 'help' | 'warm' | 'first', number[]>} */
  const timesMs = { bare: [], help: [], warm: [], first: [] };
  try {
    const warmCache = await makeCache(folder, 'warm');
    const warmUps = 2;
    for (let round = -warmUps; round < (isQuick ? 5 : 20); round += 1) {
      const freshCache = await makeCache(folder, `fresh-${round + warmUps}`);
      const sample = {
        bare: start(['-e', '0'], folder, warmCache),
        help: start([COMMAND, '--help'], folder, warmCache),
        warm: start([COMMAND, 'run', TASK], folder, warmCache),
        first: start([COMMAND, 'run', TASK], folder, freshCache),
      };
      if (round < 0) continue;
      timesMs.bare.push(sample.bare);
      timesMs.help.push(sample.help);
      timesMs.warm.push(sample.warm);
      timesMs.first.push(sample.first);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  /** @type {(figure: string, times: number[], bound: number) => import('../report.mjs').Row} */
  const row = (figure, times, bound) =>
    boundedRow(figure, medianRatio(times, timesMs.bare), bound, {
      unit: ' ×',
      detail: `${formatNumber(median(times))} ms against ${formatNumber(median(timesMs.bare))} ms`,
    });
  return [
    row('cold start: orchestrate --help / node -e 0', timesMs.help, 1.3),
    row('cold start: city-compare, tools compiled before / node -e 0', timesMs.warm, 4.5),
    row('cold start: city-compare, the first time / node -e 0', timesMs.first, 9),
  ];
}

/**
 * An empty folder for what jiti compiles.
 * @param {string} folder
 * @param {string} name
 */
async function makeCache(folder, name) {
  const cache = join(folder, name);
  await mkdir(cache);
  return cache;
}

/**
 * Milliseconds from the start of a Node process to its end; throws where it does not succeed.
 * @param {string[]} args
 * @param {string} cwd
 * @param {string} cache
 */
function start(args, cwd, cache) {
  const env = { ...process.env, TMPDIR: cache, NODE_COMPILE_CACHE: undefined };
  const started = performance.now();
  const { status, error, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  const elapsedMs = performance.now() - started;
  if (status !== 0)
    throw new Error(`node ${args.join(' ')} ended with ${status}: ${error?.message ?? stderr}`);
  return elapsedMs;
}
