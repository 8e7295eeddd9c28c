import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../src/flight/events.ts';
import { FileRunStore, readFlightFile } from '../../src/flight/file-store.ts';
import { readLog } from '../../src/flight/read-log.ts';
import { resultAt, temporaryFolder } from '../support/flight-events.ts';
import { noteAt, notes } from '../support/flight-notes.ts';

const noBlobs = () => Promise.reject(new Error('there are none'));
const read = (bytes: Buffer) => readLog(bytes, { file: 'flight.jsonl', readBlob: noBlobs });

/** A run whose events were made durable in batches of these sizes. */
async function writeRun(root: string, events: readonly FlightEvent[], batches: readonly number[]) {
  const store = new FileRunStore(root);
  const run = await store.create('r1');
  let seq = 0;
  for (const size of batches) {
    for (let index = 0; index < size; index++, seq++) run.log.append(events[seq]!);
    await run.log.whenDurable(seq - 1);
  }
  await run.log.close();
  const path = join(root, 'r1', 'flight.jsonl');
  const bytes = readFileSync(path);
  const lines = bytes.toString('utf8').split(/(?<=\n)/);
  return { store, path, bytes, lines };
}

describe('a log that was cut', () => {
  it('at any byte of its last two records is recovered, and goes on', async () => {
    const { store, path, bytes, lines } = await writeRun(temporaryFolder(), notes(4), [1, 1, 2]);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    const keptSize = lines[0]!.length + lines[1]!.length;
    for (let size = keptSize; size <= bytes.length; size++) {
      copyFileSync(copy, path);
      truncateSync(path, size);
      const whole = size === bytes.length ? 4 : size >= keptSize + lines[2]!.length ? 3 : 2;
      expect(await store.read('r1')).toEqual(notes(whole));
      const run = await store.open('r1');
      expect(run.events).toEqual(notes(whole));
      for (const event of notes(2, whole)) run.log.append(event);
      await run.log.close();
      expect(await store.read('r1')).toEqual(notes(whole + 2));
    }
  });

  it('between lines and grown again by zeros is recovered', async () => {
    const { store, path, bytes } = await writeRun(temporaryFolder(), notes(3), [1, 1, 1]);
    writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(5_000)]));
    const run = await store.open('r1');
    expect(run.events).toEqual(notes(3));
    await run.log.close();
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe('a log of which one bit is flipped', () => {
  it('is refused, or loses a tail that no line says was durable; it never gives a wrong event', async () => {
    const events = [noteAt(0), noteAt(1, 'ä€😀'), noteAt(2), noteAt(3), noteAt(4)];
    const { bytes, lines } = await writeRun(temporaryFolder(), events, [1, 2, 1, 1]);
    const lastStart = bytes.length - Buffer.byteLength(lines.at(-1)!);
    let refused = 0;
    for (let offset = 0; offset < bytes.length; offset++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = Buffer.from(bytes);
        damaged.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
        const where = `byte ${offset}, bit ${bit}`;
        const outcome = await read(damaged).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          refused++;
          expect(outcome, where).toMatchObject({
            code: 'log_corrupt',
            message: expect.stringMatching(/^event \d at byte \d+ of/) as string,
          });
        } else {
          expect(offset, where).toBeGreaterThanOrEqual(lastStart);
          expect(outcome, where).toMatchObject({ events: events.slice(0, 4), size: lastStart });
        }
      }
    }
    expect(refused).toBeGreaterThanOrEqual(lastStart * 8);
  });

  it('leaves the file as it is where it is refused', async () => {
    const { store, path, bytes } = await writeRun(temporaryFolder(), notes(3), [1, 1, 1]);
    bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
    writeFileSync(path, bytes);
    await expect(store.open('r1')).rejects.toMatchObject({ code: 'log_corrupt' });
    expect(readFileSync(path)).toEqual(bytes);
    // The lock was given back.
    await expect(store.open('r1')).rejects.toMatchObject({ code: 'log_corrupt' });
  });
});

describe('stored values', () => {
  const large = { rows: 'x'.repeat(20_000) };

  it('that were changed, cut or lost are refused, naming event and file', async () => {
    const { store, path } = await writeRun(temporaryFolder(), [noteAt(0), resultAt(1, large)], [1, 1]);
    const hash = (JSON.parse(readFileSync(path, 'utf8').split('\n')[1]!) as { value: string }).value;
    const blob = join(path, '..', 'blobs', `${hash}.json`);
    const text = readFileSync(blob, 'utf8');
    for (const [damaged, problem] of [
      [text.replace('x', 'y'), 'was changed'],
      [text.slice(0, -1), 'was changed'],
      ['', 'was changed'],
    ] as const) {
      writeFileSync(blob, damaged);
      await expect(store.read('r1')).rejects.toThrow(
        new RegExp(`^event 1 at byte \\d+ of .*${hash}.*${problem}`),
      );
    }
    writeFileSync(blob, text);
    expect(await readFlightFile(path)).toEqual([noteAt(0), resultAt(1, large)]);
    const lone = join(temporaryFolder(), 'flight.jsonl');
    copyFileSync(path, lone);
    await expect(readFlightFile(lone)).rejects.toThrow(/^event 1 .* is missing/);
  });
});

describe('readFlightFile', () => {
  it('says what is no log', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'other.txt');
    await expect(readFlightFile(path)).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(readFlightFile(folder)).rejects.toMatchObject({ code: 'run_not_found' });
    for (const text of ['', 'hello\n', '{"v":1}\n']) {
      writeFileSync(path, text);
      await expect(readFlightFile(path), text).rejects.toMatchObject({ code: 'log_corrupt' });
    }
  });
});
