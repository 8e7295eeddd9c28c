import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRunStore } from '../../../src/flight/file-store.ts';
import { temporaryFolder } from '../../support/flight-events.ts';
import { noteAt } from '../../support/flight-notes.ts';

describe('what is derived from a log', () => {
  it('is read from it once until it changes, whatever became of what was stored', async () => {
    const root = temporaryFolder();
    const store = new FileRunStore(root);
    const run = await store.create('r1');
    run.log.append(noteAt(0));
    await run.log.whenDurable(0);
    let computed = 0;
    const derive = () => store.derive('r1', 'size', (events) => ((computed += 1), events.length));
    expect([await derive(), await derive(), computed]).toEqual([1, 1, 1]);
    run.log.append(noteAt(1));
    await run.log.close();
    expect([await derive(), await derive(), computed]).toEqual([2, 2, 2]);
    const stored = join(root, 'r1', 'derived', 'size.json');
    for (const text of ['', '{"log": 1, "value": 7}', '7']) {
      writeFileSync(stored, text);
      expect(await derive()).toBe(2);
    }
    expect(computed).toBe(5);
    // A log that was edited is another log, although it is as long and ends alike; so is one with another end.
    const log = join(root, 'r1', 'flight.jsonl');
    const text = readFileSync(log, 'utf8');
    for (const [index, edited] of [
      text.replace('"at":1', '"at":2'),
      text.replace(/[0-9a-f]{8}"\}\n$/, '00000000"}\n'),
    ].entries()) {
      expect(edited).not.toBe(text);
      writeFileSync(log, edited);
      // Whatever the clock of the file system is.
      utimesSync(log, 1, index + 1);
      await expect(derive()).rejects.toMatchObject({ code: 'log_corrupt' });
    }
    writeFileSync(log, text);
    // Where nothing can be stored, it is computed.
    rmSync(join(root, 'r1', 'derived'), { recursive: true });
    writeFileSync(join(root, 'r1', 'derived'), 'a file');
    expect(await derive()).toBe(2);
  });
});
