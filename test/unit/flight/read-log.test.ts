import { describe, expect, it } from 'vitest';
import { CHAIN_START, encodeEvent, lineSum, sealLine } from '../../../src/flight/codec.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { readLog } from '../../../src/flight/read-log.ts';
import { noteAt, notes } from '../../support/flight-notes.ts';

const source = { file: 'flight.jsonl', readBlob: () => Promise.reject(new Error('there are none')) };

const read = (text: string | Buffer) => readLog(Buffer.from(text as string), source);

/** Lines of a log whose events were written in batches of these sizes. */
function linesOf(events: readonly FlightEvent[], batches: readonly number[]): string[] {
  let sum = CHAIN_START;
  const lines: string[] = [];
  for (const size of batches) {
    const durableSeq = lines.length - 1;
    for (let index = 0; index < size; index++) {
      const line = sealLine(encodeEvent(events[lines.length]!), durableSeq, sum);
      sum = line.sum;
      lines.push(line.text);
    }
  }
  return lines;
}

describe('a log', () => {
  it('gives its events, and says where the durable part ends', async () => {
    const lines = linesOf(notes(5), [2, 1, 2]);
    const contents = await read(lines.join(''));
    expect(contents.events).toEqual(notes(5));
    expect(contents.size).toBe(lines.join('').length);
    expect(contents.settledSize).toBe(lines.slice(0, 3).join('').length);
  });

  it('may be empty', async () => {
    expect(await read('')).toMatchObject({ events: [], size: 0, settledSize: 0, sum: CHAIN_START });
  });

  it('of any other file has no event', async () => {
    expect((await read('name: city-compare\n')).events).toEqual([]);
    expect((await read(Buffer.from([0xff, 0xfe, 0x0a, 0]))).events).toEqual([]);
  });

  it('loses a torn tail, with whole lines behind the tear', async () => {
    const lines = linesOf(notes(4), [1, 3]);
    const torn = [lines[0], lines[1], '\0'.repeat(lines[2]!.length), lines[3]].join('');
    const contents = await read(torn);
    expect(contents.events).toEqual(notes(2));
    expect(contents.size).toBe(lines[0]!.length + lines[1]!.length);
  });

  it('does not take a last line without its newline', async () => {
    const lines = linesOf(notes(2), [2]);
    expect((await read(lines.join('').slice(0, -1))).events).toEqual(notes(1));
  });
});

describe('a damaged log is refused with sequence and offset', () => {
  const lines = linesOf(notes(4), [1, 1, 1, 1]);
  const offset = lines[0]!.length;

  it('where a line that a later one says was durable is torn', async () => {
    const torn = [lines[0], lines[1]!.slice(0, -20), '\n', lines[2], lines[3]].join('');
    await expect(read(torn)).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringMatching(
        `event 1 at byte ${offset} of flight.jsonl: .*event 2 was durable`,
      ) as string,
      details: { seq: 1, offset },
    });
  });

  it('where the newline between the last two lines is lost', async () => {
    for (const joint of ['', 'x', '\u008a']) {
      const three = lines.slice(0, 3);
      const damaged = [three[0], three[1]!.slice(0, -1) + joint, three[2]].join('');
      if (joint === '') expect((await read(damaged)).events).toEqual(notes(1));
      else await expect(read(damaged)).rejects.toThrow(/event 1 at byte .*event 1 was durable/);
    }
  });

  it('where only the checksum of the last durable line is damaged', async () => {
    const damaged = [lines[0], lines[1]!.slice(0, -4) + '"' + lines[1]!.slice(-3), lines[2]].join('');
    await expect(read(damaged)).rejects.toThrow(/event 1 at byte .*event 1 was durable/);
  });

  it('where bytes that are no text would read as the same replacement character', async () => {
    const log = Buffer.from(linesOf([noteAt(0, '\ufffd'), noteAt(1)], [1, 1]).join(''));
    log.writeUInt8(0xf0, log.indexOf('\ufffd'));
    await expect(read(log)).rejects.toThrow(/^event 0 at byte 0 .*event 0 was durable/);
  });

  it('where a line was dropped, swapped, doubled or edited, in the last batch too', async () => {
    const [first, second, third, last] = linesOf(notes(4), [4]) as [string, string, string, string];
    const edited = sealLine(encodeEvent(noteAt(2, 'forged')), -1, lineSum(second.trimEnd())).text;
    const damages = {
      dropped: [first, third, last],
      'first dropped': [second, third, last],
      swapped: [first, second, last, third],
      doubled: [first, second, second, third, last],
      'edited with its own sum recomputed': [first, second, edited, last],
      edited: [first, second, third.replace('note', 'Note'), last],
      'line endings converted': [first, second, third, last].map((line) => line.replace('\n', '\r\n')),
    };
    for (const [damage, text] of Object.entries(damages)) {
      await expect(read(text.join('')), damage).rejects.toMatchObject({ code: 'log_corrupt' });
    }
  });

  it('where a line says that it is durable before it was written', async () => {
    await expect(read(sealLine(encodeEvent(noteAt(0)), 0, CHAIN_START).text)).rejects.toThrow(
      /durable before/,
    );
  });

  it('where a stored value cannot be had', async () => {
    const large = sealLine(encodeEvent(noteAt(0, 'x'.repeat(20_000))), -1, CHAIN_START).text;
    await expect(read(large)).rejects.toThrow('event 0 at byte 0 of flight.jsonl: there are none');
  });
});
