import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/manual-clock.ts';

describe('ManualClock', () => {
  it('stands still until it is moved', async () => {
    const clock = new ManualClock(5000);
    let fired = false;
    clock.setTimer(0, () => {
      fired = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([clock.now(), fired]).toEqual([5000, false]);
  });

  it('fires in the order of due time, then of setting, each at its own time', async () => {
    const clock = new ManualClock();
    const fired: [string, number][] = [];
    const set = (name: string, delayMs: number) =>
      clock.setTimer(delayMs, () => fired.push([name, clock.now()]));
    set('late', 30);
    set('first', 10);
    set('second', 10);
    const cancel = set('cancelled', 10);
    cancel();
    await clock.runUntilIdle();
    expect(fired).toEqual([
      ['first', 10],
      ['second', 10],
      ['late', 30],
    ]);
  });

  it('lets a reaction come to rest, new timers included, before the next timer', async () => {
    const clock = new ManualClock();
    const seen: string[] = [];
    const wait = (delayMs: number) => new Promise<void>((resolve) => clock.setTimer(delayMs, resolve));
    const work = async (name: string, delaysMs: readonly number[]) => {
      for (const delayMs of delaysMs) {
        await wait(delayMs);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name}@${clock.now()}`);
      }
    };
    await clock.runUntil(Promise.all([work('a', [10, 10]), work('b', [15, 1])]));
    expect(seen).toEqual(['a@10', 'b@15', 'b@16', 'a@20']);
  });

  it('stops where it was told to, with later timers left', async () => {
    const clock = new ManualClock();
    const fired: number[] = [];
    clock.setTimer(10, () => fired.push(10));
    clock.setTimer(11, () => fired.push(11));
    await clock.advanceBy(10);
    expect([clock.now(), fired]).toEqual([10, [10]]);
    await clock.advanceBy(0.5);
    expect([clock.now(), fired]).toEqual([10.5, [10]]);
    await clock.advanceBy(0.5);
    expect(fired).toEqual([10, 11]);
  });

  it('passes on a rejection', async () => {
    const clock = new ManualClock();
    const failing = new Promise<never>((_, reject) => clock.setTimer(1, () => reject(new Error('late'))));
    await expect(clock.runUntil(failing)).rejects.toThrow('late');
  });
});
