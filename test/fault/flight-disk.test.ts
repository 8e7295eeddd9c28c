import { readdirSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BlobFolder } from '../../src/flight/blobs.ts';
import { CHAIN_START } from '../../src/flight/codec.ts';
import { realDisk } from '../../src/flight/disk.ts';
import { FileFlightLog, openLogFile, type SyncMode } from '../../src/flight/file-log.ts';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import { type FaultyCall, FaultyDisk } from '../support/faulty-disk.ts';
import { resultAt, temporaryFolder } from '../support/flight-events.ts';
import { noteAt, notes } from '../support/flight-notes.ts';

const MODES: readonly SyncMode[] = ['write', 'after'];

function storeOn(faulty: FaultyDisk, mode: SyncMode = 'after') {
  const root = temporaryFolder();
  return { root, store: new FileRunStore(root, faulty.disk, mode) };
}

it.each(['EACCES', 'EPERM', 'EROFS'])(
  'a folder that may not be written (%s) is not told of as full',
  async (code) => {
    const refuse = () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
    const store = new FileRunStore(temporaryFolder(), { ...realDisk, mkdir: refuse });
    await expect(store.create('r1')).rejects.toMatchObject({
      code: 'log_write_failed',
      hint: 'Correct its owner and mode, or name another folder for the runs.',
    });
  },
);

describe.each(MODES)('a disk that fails, synced by mode "%s"', (mode) => {
  const calls: readonly FaultyCall[] = mode === 'write' ? ['write', 'rename'] : ['write', 'sync', 'rename'];

  it.each(calls)('at the nth %s tells what is safe, and all of that is there', async (call) => {
    for (let nth = 1; nth <= 8; nth++) {
      const faulty = new FaultyDisk();
      const { root, store } = storeOn(faulty, mode);
      const run = await store.create('r1');
      faulty.failAt(call, faulty.counts[call] + nth);
      let reported = -1;
      let failure: unknown;
      try {
        for (let seq = 0; seq < 20; seq++) {
          run.log.append(seq % 2 === 0 ? resultAt(seq, `${seq}`.repeat(20_000)) : noteAt(seq));
          await run.log.whenDurable(seq);
          reported = seq;
        }
      } catch (error) {
        failure = error;
      }
      expect(failure).toMatchObject({ code: 'log_write_failed', details: { lastSafeSeq: reported } });
      expect(run.log.durableSeq).toBe(reported);
      // It stays failed though the disk would take more.
      faulty.heal();
      expect(() => {
        run.log.append(noteAt(reported + 2));
      }).toThrow(/ENOSPC/);
      await expect(run.log.whenDurable(reported + 1)).rejects.toBe(failure);
      await run.log.whenDurable(reported);
      await expect(run.log.close()).rejects.toBe(failure);
      // What is safe is there, and the run can be taken up.
      const again = await new FileRunStore(root).open('r1');
      expect(again.events.length).toBeGreaterThan(reported);
      expect(again.events.length).toBeLessThanOrEqual(reported + 2);
      await again.log.close();
    }
  });

  it('rejects everyone who waits, whichever batch', async () => {
    const faulty = new FaultyDisk();
    const { store } = storeOn(faulty, mode);
    const run = await store.create('r1');
    faulty.failAt('write', faulty.counts.write + 1);
    run.log.append(noteAt(0));
    const first = run.log.whenDurable(0);
    faulty.onWrite = () => {
      run.log.append(noteAt(1));
    };
    const later = run.log.whenDurable(1);
    for (const outcome of await Promise.allSettled([first, later, run.log.close()])) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'log_write_failed', message: expect.stringContaining('no event is safe') as string },
      });
    }
  });

  it('goes on after short writes', async () => {
    const faulty = new FaultyDisk();
    faulty.maxWriteBytes = 7;
    const { store } = storeOn(faulty, mode);
    const run = await store.create('r1');
    for (const event of notes(20)) run.log.append(event);
    await run.log.close();
    expect(faulty.counts.write).toBeGreaterThan(100);
    expect(await store.read('r1')).toEqual(notes(20));
  });
});

describe('a disk that fails before a run is open', () => {
  it.each(['open', 'mkdir', 'rename', 'sync'] as const)(
    'at any %s of create leaves no half a run',
    async (call) => {
      for (let nth = 1; ; nth++) {
        const faulty = new FaultyDisk();
        const { root, store } = storeOn(faulty);
        faulty.failAt(call, nth);
        const outcome = await store.create('r1').catch((error: unknown) => error);
        if (!(outcome instanceof Error)) {
          expect(nth).toBeGreaterThan(1);
          await (outcome as { log: { close(): Promise<void> } }).log.close();
          return;
        }
        expect(outcome).toMatchObject({
          code: 'log_write_failed',
          message: expect.stringContaining(root) as string,
        });
        faulty.heal();
        const run = readdirSync(root).includes('r1') ? await store.open('r1') : await store.create('r1');
        expect(run.events).toEqual([]);
        await run.log.close();
        expect(readdirSync(root)).toEqual(['r1']);
      }
    },
  );

  it('keeps the artifact before where a new one cannot be written', async () => {
    for (const call of ['write', 'sync', 'rename', 'open'] as const) {
      const faulty = new FaultyDisk();
      const { root, store } = storeOn(faulty);
      const run = await store.create('r1');
      await run.writeArtifact('report.md', 'before');
      faulty.failAt(call, faulty.counts[call] + 1);
      await expect(run.writeArtifact('report.md', 'after')).rejects.toBeInstanceOf(OrchestratorError);
      expect(readFileSync(join(root, 'r1', 'report.md'), 'utf8')).toBe('before');
      await run.log.close();
    }
  });
});

describe('an event is durable', () => {
  it('in mode "write" by a write to a file that was opened for it', async () => {
    const faulty = new FaultyDisk();
    const { store } = storeOn(faulty, 'write');
    const run = await store.create('r1');
    expect(faulty.journal).toContain(`open ${constants.O_RDWR | constants.O_DSYNC}`);
    const before = faulty.journal.length;
    run.log.append(noteAt(0));
    await run.log.whenDurable(0);
    expect(faulty.journal.slice(before)).toEqual(['write']);
    await run.log.close();
  });

  it('in mode "after" once it was synced, and not where that fails', async () => {
    const faulty = new FaultyDisk();
    const { store } = storeOn(faulty, 'after');
    const run = await store.create('r1');
    const before = faulty.journal.length;
    run.log.append(noteAt(0));
    await run.log.whenDurable(0);
    expect(faulty.journal.slice(before)).toEqual(['write', 'sync']);
    faulty.failAt('sync', faulty.counts.sync + 1);
    run.log.append(noteAt(1));
    await expect(run.log.whenDurable(1)).rejects.toMatchObject({ details: { lastSafeSeq: 0 } });
    await expect(run.log.close()).rejects.toMatchObject({ code: 'log_write_failed' });
  });

  it('after the values that it names', async () => {
    const faulty = new FaultyDisk();
    const { store } = storeOn(faulty, 'write');
    const run = await store.create('r1');
    const before = faulty.journal.length;
    run.log.append(resultAt(0, 'x'.repeat(20_000)));
    await run.log.close();
    const steps = faulty.journal.slice(before).filter((call) => !call.startsWith('open'));
    // The folder is made and synced, the value takes its name, the folder is synced, then comes the line.
    const value = ['write', 'sync', 'rename', 'sync'];
    expect(steps).toEqual(
      process.platform === 'win32'
        ? ['mkdir', 'write', 'sync', 'rename', 'write']
        : ['mkdir', 'sync', ...value, 'write'],
    );
  });
});

describe('group commit', () => {
  it('shares one write among the events of a turn, and gathers the next during it', async () => {
    const faulty = new FaultyDisk();
    const { store } = storeOn(faulty, 'write');
    const run = await store.create('r1');
    const before = faulty.counts.write;
    for (const event of notes(100)) run.log.append(event);
    let gathered = false;
    faulty.onWrite = () => {
      if (gathered) return;
      gathered = true;
      for (const event of notes(100, 100)) run.log.append(event);
    };
    await run.log.whenDurable(0);
    expect(run.log.durableSeq).toBe(99);
    await run.log.whenDurable(199);
    expect(faulty.counts.write - before).toBe(2);
    await run.log.close();
    expect(await store.read('r1')).toEqual(notes(200));
  });

  it('writes at most 1 MiB at once', async () => {
    const faulty = new FaultyDisk();
    const { root, store } = storeOn(faulty, 'write');
    const run = await store.create('r1');
    const before = faulty.counts.write;
    const events = Array.from({ length: 300 }, (_, seq) => noteAt(seq, 'ü'.repeat(5_000)));
    for (const event of events) run.log.append(event);
    await run.log.close();
    const size = statSync(join(root, 'r1', 'flight.jsonl')).size;
    expect(faulty.counts.write - before).toBe(Math.ceil(size / (1 << 20)));
    expect(await store.read('r1')).toEqual(events);
  });

  it('stores equal values once, also across openings', async () => {
    const faulty = new FaultyDisk();
    const { root, store } = storeOn(faulty);
    const run = await store.create('r1');
    const value = 'x'.repeat(20_000);
    for (let seq = 0; seq < 3; seq++) {
      run.log.append(resultAt(seq, value));
      await run.log.whenDurable(seq);
    }
    await run.log.close();
    const again = await store.open('r1');
    const renamesBefore = faulty.counts.rename;
    again.log.append(resultAt(3, value));
    await again.log.close();
    expect(faulty.counts.rename).toBe(renamesBefore);
    expect(readdirSync(join(root, 'r1', 'blobs'))).toHaveLength(1);
    expect(await store.read('r1')).toEqual([0, 1, 2, 3].map((seq) => resultAt(seq, value)));
  });

  it('makes durable again on open what no line says was durable', async () => {
    const faulty = new FaultyDisk();
    const { store } = storeOn(faulty, 'write');
    const run = await store.create('r1');
    for (const event of notes(3)) run.log.append(event);
    await run.log.close();
    const { write, sync } = faulty.counts;
    await (await store.open('r1')).log.close();
    expect(faulty.counts.write).toBe(write + 1);
    expect(faulty.counts.sync).toBe(sync + 1);
  });
});

describe.skipIf(process.platform !== 'linux')('/dev/full', () => {
  it.each(MODES)('fails the log in mode "%s" and lets go of the run', async (mode) => {
    let isReleased = false;
    const log = new FileFlightLog({
      path: '/dev/full',
      handle: await openLogFile(realDisk, '/dev/full', mode),
      mode,
      position: 0,
      lastSeq: -1,
      sum: CHAIN_START,
      blobs: new BlobFolder(temporaryFolder(), realDisk),
      blobHashes: new Set(),
      release: () => {
        isReleased = true;
        return Promise.resolve();
      },
    });
    log.append(noteAt(0));
    await expect(log.whenDurable(0)).rejects.toThrow(/^\/dev\/full: ENOSPC.*no event is safe$/);
    await expect(log.close()).rejects.toMatchObject({ code: 'log_write_failed' });
    expect(isReleased).toBe(true);
  });
});
