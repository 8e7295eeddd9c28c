/*
 * Runs that are drawn from seeds and crash where the seed says: 1000 seeds, or SIM_SEEDS of them; SIM_SEED=n runs that
 * one alone, as a failure says.
 */
import { describe, expect, it } from 'vitest';
import { findBroken } from '../../src/compose/verify-log.ts';
import { replay } from '../../src/engine/replay.ts';
import { hashJson } from '../../src/kernel/hash.ts';
import type { Json } from '../../src/kernel/json.ts';
import { toRunResult } from '../../src/run/run-result.ts';
import { endOf } from '../support/fault-worlds.ts';
import { type Simulation, simulate } from '../support/simulation.ts';

const only = process.env['SIM_SEED'];
const count = Number(process.env['SIM_SEEDS'] ?? 1000);
const seeds = only === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(only)];

const BATCH = 100;
const batches = Array.from({ length: Math.ceil(seeds.length / BATCH) }, (_, index) =>
  seeds.slice(index * BATCH, (index + 1) * BATCH),
);

function logHash({ events }: Simulation): string {
  return hashJson(events as unknown as Json);
}

async function check(seed: number): Promise<number> {
  const calm = await simulate(seed, true);
  const stormy = await simulate(seed);
  expect(endOf(toRunResult(stormy.state, null))).toEqual(endOf(toRunResult(calm.state, null)));
  for (const [id, times] of stormy.acted) expect(times, `${id} acted`).toBe(1);
  expect([...stormy.acted.keys()].sort()).toEqual([...calm.acted.keys()].sort());
  expect(stormy.mostRunning).toBeLessThanOrEqual(stormy.state.task.concurrency);
  expect(findBroken(stormy.events)).toBeNull();
  expect(replay(stormy.events, true)).toMatchObject({ divergence: null, isComplete: true, warnings: [] });
  if (seed % 10 === 0 || only !== undefined) expect(logHash(await simulate(seed))).toBe(logHash(stormy));
  return stormy.crashes;
}

describe('a simulated run that crashes', () => {
  it.each(batches.map((batch) => [`${batch[0] ?? 0} to ${batch.at(-1) ?? 0}`, batch] as const))(
    'ends as one that does not: seeds %s',
    async (_, batch) => {
      let crashes = 0;
      for (const seed of batch) {
        try {
          crashes += await check(seed);
        } catch (error) {
          const command = `SIM_SEED=${seed} npx vitest run --project fault test/fault/simulation.test.ts`;
          throw new Error(`seed ${seed} fails; again with: ${command}`, { cause: error });
        }
      }
      if (only === undefined) expect(crashes).toBeGreaterThan(batch.length / 2);
    },
  );
});
