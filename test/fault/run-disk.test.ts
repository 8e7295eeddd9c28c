/*
 * A disk that fails under a whole run: the run ends with what is known to be safe, and whoever takes it up on a disk that
 * works reaches the end of a run on which nothing failed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/contracts/ports.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import type { SyncMode } from '../../src/flight/file-log.ts';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { type RunResult, verifyLog } from '../../src/index.ts';
import { bundleChild, startChild } from '../support/fault-order.ts';
import { countSent } from '../support/fault-world.ts';
import { endOf, goOn } from '../support/fault-worlds.ts';
import { type FaultyCall, FaultyDisk } from '../support/faulty-disk.ts';
import { temporaryFolder } from '../support/flight-events.ts';

bundleChild();

const MODES: readonly (readonly [SyncMode, readonly FaultyCall[]])[] = [
  ['write', ['write', 'rename']],
  ['after', ['write', 'sync', 'rename']],
];

describe.each(MODES)('a disk that fails, synced by mode "%s"', (mode, calls) => {
  it.each(calls)('at the nth %s of a run', async (call) => {
    const whole = endOf(await goOn('gated', temporaryFolder(), new MemoryRunStore(), 'whole'));
    let failed = 0;
    for (let nth = 1; ; nth += nth < 12 ? 1 : 3) {
      const folder = temporaryFolder();
      const root = join(folder, 'runs');
      const faulty = new FaultyDisk();
      faulty.failAt(call, nth);
      const outcome = await goOn('gated', folder, new FileRunStore(root, faulty.disk, mode), 'r1').catch(
        (error: unknown) => error,
      );
      const where = `${call} ${nth}`;
      if (outcome instanceof Error) {
        failed++;
        expect(outcome, where).toMatchObject({ code: 'log_write_failed' });
        // Nothing is written once more: a call of its kind that failed is the last.
        const counted = faulty.counts[call];
        await new Promise((resolve) => setImmediate(resolve));
        expect(faulty.counts[call], where).toBe(counted);
      }
      const result = await goOn('gated', folder, new FileRunStore(root), 'r1');
      expect(endOf(result), where).toEqual(whole);
      expect(countSent(folder), where).toBe(1);
      expect(await verifyLog('r1', { runsFolder: root }), where).toMatchObject({ fault: null });
      if (outcome instanceof Error) continue;
      const ended = outcome as RunResult;
      expect(endOf(ended), where).toEqual(whole);
      if (faulty.counts[call] < nth) {
        expect(ended, where).toMatchObject({ exitCode: 0 });
        expect(ended, where).not.toHaveProperty('warnings');
        break;
      }
      // What is written when the run is over costs it nothing but its success.
      failed++;
      expect(ended.exitCode, where).toBeGreaterThan(0);
      expect(ended.warnings?.join('\n'), where).toMatch(/report\.md|result\.json/);
    }
    expect(failed).toBeGreaterThan(2);
  });
});

describe.skipIf(process.platform === 'win32')('a limit on the size of files (ulimit -f)', () => {
  it('ends the run with what is safe, and it is taken up without the limit', async () => {
    const whole = endOf(await goOn('gated', temporaryFolder(), new MemoryRunStore(), 'whole'));
    let failed = 0;
    for (const blocks of [1, 4, 12]) {
      const folder = temporaryFolder();
      const root = join(folder, 'runs');
      mkdirSync(root);
      const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'limited'];
      const { stdout, stderr } = await startChild({ world: 'gated', folder, root, runId: 'r1' }, limited)
        .ended;
      if (stdout.startsWith('failed')) {
        failed++;
        expect(stdout).toMatch(/^failed log_write_failed: .*(EFBIG|disk takes no more)/);
      } else expect(stdout, stderr).toMatch(/^end verified/);
      expect(endOf(await goOn('gated', folder, new FileRunStore(root), 'r1'))).toEqual(whole);
      expect(countSent(folder)).toBe(1);
    }
    expect(failed).toBeGreaterThan(0);
  });
});

describe('a clock that jumps while nobody runs the run', () => {
  it.each([
    ['an hour back', -3_600_000],
    ['a day ahead', 86_400_000],
  ])('%s changes neither the end nor the time that the run took', async (_, jumpMs) => {
    const whole = endOf(await goOn('gated', temporaryFolder(), new MemoryRunStore(), 'whole'));
    const store = new MemoryRunStore();
    await goOn('gated', temporaryFolder(), store, 'whole');
    const events = await store.read('whole');
    const jumped: Clock = { ...systemClock, now: () => systemClock.now() + jumpMs };
    for (let length = 1; length < events.length; length += 3) {
      const folder = temporaryFolder();
      const crashed = new MemoryRunStore();
      const run = await crashed.create('whole');
      for (const event of events.slice(0, length)) run.log.append(event);
      await run.log.close();
      // What the world has seen by then.
      const isSent = events
        .slice(0, length)
        .some((event) => event.type === 'node.done' && event.node === 'sent');
      if (isSent) continue;
      const result = await goOn('gated', folder, crashed, 'whole', { clock: jumped });
      expect(endOf(result), `after ${length} events`).toEqual(whole);
      expect(result.usage.wallSeconds).toBeLessThan(30);
    }
  });
});
