/* A session whose process dies after any event: whoever goes on with it reaches the end of an uninterrupted one. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { replayRun } from '../../src/index.ts';
import { countSent } from '../support/fault-world.ts';
import { endOf, goOn } from '../support/fault-worlds.ts';
import { temporaryFolder } from '../support/flight-events.ts';

/** A store with a session in it that was cut off, and the world as it was then. */
async function cutOff(events: readonly FlightEvent[]): Promise<{ store: MemoryRunStore; folder: string }> {
  const store = new MemoryRunStore();
  const run = await store.create('s');
  for (const event of events) run.log.append(event);
  await run.log.close();
  const folder = temporaryFolder();
  if (events.some(({ type }) => type === 'call.returned')) appendFileSync(join(folder, 'sent.txt'), 'sent\n');
  return { store, folder };
}

describe('a session that is cut off', () => {
  it('after any event ends as the whole one, sends once, and replays', async () => {
    const whole = new MemoryRunStore();
    const result = await goOn('talked', temporaryFolder(), whole, 's');
    const events = await whole.read('s');
    expect(JSON.stringify(result.answer)).toContain('It was sent.');
    for (let length = 2; length < events.length; length++) {
      const { store, folder } = await cutOff(events.slice(0, length));
      const where = `after event ${length - 1} (${events[length - 1]?.type ?? ''})`;
      expect(endOf(await goOn('talked', folder, store, 's')), where).toEqual(endOf(result));
      expect(countSent(folder), where).toBe(1);
      expect(await replayRun('s', { store, strict: true }), where).toMatchObject({
        ...{ divergence: null, isComplete: true },
      });
    }
  }, 60_000);
});
