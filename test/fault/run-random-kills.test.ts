/*
 * Processes that are killed at random while they run thirty nodes, taken up by the next: the end is that of a run that
 * nobody killed, and the irreversible call is made once. 20 kills in CI; SORTIE_FAULT_KILLS=200 makes as many. Which
 * moments were drawn is told by SORTIE_FAULT_SEED.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { replayRun, verifyLog } from '../../src/index.ts';
import { bundleChild, startChild } from '../support/fault-order.ts';
import { countSent } from '../support/fault-world.ts';
import { endOf, goOn } from '../support/fault-worlds.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { seededRandom } from '../support/seeded-random.ts';

const KILLS = Number(process.env['SORTIE_FAULT_KILLS'] ?? 20);
const SEED = Number(process.env['SORTIE_FAULT_SEED'] ?? 1);

/** How long a run takes a child, once it has it: what moments of a kill are drawn from. */
const LONGEST_MS = 90;

bundleChild();

describe('a run of thirty nodes', () => {
  it(
    `killed at ${KILLS} random moments (seed ${SEED}) ends as if nothing had happened`,
    async () => {
      const draw = seededRandom(SEED);
      const wholeFolder = temporaryFolder();
      const whole = endOf(await goOn('thirty', wholeFolder, new MemoryRunStore(), 'whole'));
      expect(countSent(wholeFolder)).toBe(1);
      for (let kills = 0, round = 1; kills < KILLS; round++) {
        const folder = temporaryFolder();
        const root = join(folder, 'runs');
        mkdirSync(root);
        const order = { world: 'thirty', folder, root, runId: 'r1', tells: true };
        for (let isOver = false; !isOver && kills < KILLS;) {
          const child = startChild(order);
          await child.sees('open');
          await delay(draw() * LONGEST_MS);
          child.process.kill('SIGKILL');
          const { signal, stdout, stderr } = await child.ended;
          if (signal === 'SIGKILL') kills++;
          else {
            expect(stdout, stderr).toContain('end unverified');
            isOver = true;
          }
          expect(countSent(folder), `round ${round}, ${kills} kills`).toBeLessThanOrEqual(1);
        }
        const store = new FileRunStore(root);
        expect(endOf(await goOn('thirty', folder, store, 'r1')), `round ${round}`).toEqual(whole);
        expect(countSent(folder), `round ${round}`).toBe(1);
        expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null });
        expect(await verifyLog('r1', { runsFolder: root })).toMatchObject({ fault: null });
      }
    },
    60_000 + KILLS * 3000,
  );
});

describe('two processes that resume one run at once', () => {
  it('leave it to one; the other says who holds it, and nothing is made twice', async () => {
    const folder = temporaryFolder();
    const root = join(folder, 'runs');
    mkdirSync(root);
    const order = { world: 'thirty', folder, root, runId: 'r1', tells: true };
    const first = startChild(order);
    await first.sees('open');
    // Without a run there would be nothing to resume: both would begin one.
    await vi.waitFor(() => expect(statSync(join(root, 'r1', 'flight.jsonl')).size).toBeGreaterThan(0), {
      timeout: 10_000,
      interval: 5,
    });
    await delay(10);
    first.process.kill('SIGKILL');
    await first.ended;
    const endings = await Promise.all([startChild(order).ended, startChild(order).ended]);
    const said = endings.map(({ stdout }) => stdout.trim().split('\n').at(-1) ?? '');
    expect(said.filter((line) => line === 'end unverified').length).toBeGreaterThanOrEqual(1);
    // One that comes when the other is through finds a run that is over.
    for (const line of said)
      expect(line).toMatch(
        /^end unverified$|^locked run_locked: run r1 is held by process \d+|^failed not_resumable: run r1 ended unverified/,
      );
    expect(countSent(folder)).toBe(1);
    expect(await replayRun('r1', { store: new FileRunStore(root), strict: true })).toMatchObject({
      divergence: null,
      isComplete: true,
    });
  });
});
