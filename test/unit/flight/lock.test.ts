import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realDisk } from '../../../src/flight/disk.ts';
import { type ProcessTable, takeLock } from '../../../src/flight/lock.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

/** A table of processes by pid, with their start times. */
function processes(pid: number, starts: Record<number, string | null>, host = 'here'): ProcessTable {
  return { pid, host, startOf: (asked) => (Object.hasOwn(starts, asked) ? starts[asked] : undefined) };
}

describe('the lock of a run', () => {
  it('is held by one, and given back', async () => {
    const folder = temporaryFolder();
    const release = await takeLock(realDisk, folder);
    await expect(takeLock(realDisk, folder)).rejects.toMatchObject({
      code: 'run_locked',
      message: expect.stringContaining('is held by this process') as string,
      details: { pid: process.pid, host: hostname() },
    });
    await release();
    expect(readdirSync(folder)).toEqual([]);
    await (
      await takeLock(realDisk, folder)
    )();
  });

  it('names the process that holds it', async () => {
    const folder = temporaryFolder();
    await takeLock(realDisk, folder, processes(7, { 7: 'a' }));
    await expect(takeLock(realDisk, folder, processes(8, { 7: 'a', 8: 'b' }))).rejects.toThrow(
      /held by process 7$/,
    );
  });

  it.each([
    ['is dead', {}],
    ['is dead and its pid was given anew', { 7: 'later' }],
  ])('is taken over from an owner that %s', async (_, now) => {
    const folder = temporaryFolder();
    await takeLock(realDisk, folder, processes(7, { 7: 'a' }));
    await takeLock(realDisk, folder, processes(8, { ...now, 8: 'b' }));
    await expect(takeLock(realDisk, folder, processes(9, { 8: 'b', 9: 'c' }))).rejects.toThrow('process 8');
  });

  it('goes by the pid alone where the system tells no start times', async () => {
    const folder = temporaryFolder();
    await takeLock(realDisk, folder, processes(7, { 7: null }));
    await expect(takeLock(realDisk, folder, processes(8, { 7: null, 8: null }))).rejects.toThrow('process 7');
    await takeLock(realDisk, folder, processes(8, { 8: null }));
  });

  it('is not taken from another host, and says what to do', async () => {
    const folder = temporaryFolder();
    await takeLock(realDisk, folder, processes(7, { 7: 'a' }, 'there'));
    await expect(takeLock(realDisk, folder, processes(8, { 8: 'b' }))).rejects.toMatchObject({
      message: expect.stringContaining('process 7 on there') as string,
      hint: expect.stringContaining(`delete ${join(folder, 'lock')}`) as string,
    });
  });

  it('is taken where a crash of the machine left it empty or cut short', async () => {
    for (const content of [null, '', '{"pid":']) {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'lock'));
      if (content !== null) writeFileSync(join(folder, 'lock', 'token'), content);
      const release = await takeLock(realDisk, folder);
      await release();
      expect(existsSync(join(folder, 'lock'))).toBe(false);
    }
  });

  it('is won by one of many that take over at once, and its late release hurts nobody', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = temporaryFolder();
      const releaseLate = await takeLock(realDisk, folder, processes(7, { 7: 'a' }));
      const takers = Array.from({ length: 8 }, (_, index) =>
        takeLock(
          realDisk,
          folder,
          processes(100 + index, Object.fromEntries([...Array(8).keys()].map((n) => [100 + n, 'x']))),
        ),
      );
      const outcomes = await Promise.allSettled(takers);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'run_locked' });
      }
      await releaseLate();
      expect(readdirSync(folder)).toEqual(['lock']);
      expect(readdirSync(join(folder, 'lock'))).toHaveLength(1);
    }
  });

  it('recognises this very process by its start time', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'lock'));
    const owner = { pid: process.pid, host: hostname(), started: 'another time' };
    writeFileSync(join(folder, 'lock', 'token'), JSON.stringify(owner));
    const taking = takeLock(realDisk, folder);
    if (existsSync('/proc/self/stat')) await taking;
    else await expect(taking).rejects.toMatchObject({ code: 'run_locked' });
  });
});
