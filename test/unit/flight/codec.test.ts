import { describe, expect, it } from 'vitest';
import {
  BLOB_THRESHOLD_CHARS,
  CHAIN_START,
  decodeEvent,
  decodeLine,
  encodeEvent,
  type LinePlace,
  sealLine,
} from '../../../src/flight/codec.ts';
import { eventSchemas, type FlightEvent } from '../../../src/flight/events.ts';
import { sha256 } from '../../../src/kernel/hash.ts';
import { eventAt, resultAt } from '../../support/flight-events.ts';
import { noteAt } from '../../support/flight-notes.ts';

const place = (seq: number): LinePlace => ({ seq, offset: 0, file: 'flight.jsonl' });

function lineOf(event: FlightEvent, durableSeq = event.seq - 1, previousSum = CHAIN_START): string {
  return sealLine(encodeEvent(event), durableSeq, previousSum).text.slice(0, -1);
}

function validLine(text: string, previousSum = CHAIN_START) {
  const reading = decodeLine(text, previousSum);
  if (reading.state !== 'valid') throw new Error(`${reading.state}: ${reading.problem}`);
  return reading.line;
}

describe('a line', () => {
  it('is one JSON object with version, event, durable sequence and checksum', () => {
    const text = sealLine(encodeEvent(noteAt(3)), 2, 'before').text;
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toEqual({
      v: 1,
      ...noteAt(3),
      durable: 2,
      sum: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
  });

  it('gives back the event and the durable sequence', () => {
    const line = validLine(lineOf(noteAt(3), 1));
    expect(line.durableSeq).toBe(1);
    expect(decodeEvent(line, new Map(), place(3))).toEqual(noteAt(3));
  });

  it('is changed where it follows another line, or its text differs', () => {
    expect(decodeLine(lineOf(noteAt(1), 0, 'a'), 'b').state).toBe('changed');
    expect(decodeLine(lineOf(noteAt(1)).replace('note', 'note!'), CHAIN_START).state).toBe('changed');
    expect(decodeLine(lineOf(noteAt(1)) + ' ', CHAIN_START).state).toBe('changed');
  });

  it('is torn where it is not whole', () => {
    const text = lineOf(noteAt(1));
    for (const end of [0, 1, 20, text.length - 1]) {
      expect(decodeLine(text.slice(0, end), CHAIN_START).state).toBe('torn');
    }
  });

  it('keeps keys named __proto__', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":2}]}');
    const event = resultAt(0, value as never);
    const decoded = decodeEvent(validLine(lineOf(event)), new Map(), place(0));
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(event));
  });

  it('has names in its frame that no event uses', () => {
    for (const [type, schema] of Object.entries(eventSchemas)) {
      const names = Object.keys(schema.shape);
      expect({
        type,
        taken: names.filter((name) => ['v', 'blobs', 'durable', 'sum'].includes(name)),
      }).toEqual({
        type,
        taken: [],
      });
    }
  });
});

describe('large values', () => {
  const large = 'x'.repeat(BLOB_THRESHOLD_CHARS);

  it('become blobs above the threshold, not at it', () => {
    const atThreshold = 'x'.repeat(BLOB_THRESHOLD_CHARS - 2);
    expect(encodeEvent(resultAt(0, atThreshold)).blobs).toEqual([]);
    const encoded = encodeEvent(resultAt(0, atThreshold + 'x'));
    const text = JSON.stringify(atThreshold + 'x');
    expect(encoded.blobs).toEqual([{ hash: sha256(text), text }]);
    expect(encoded.fields.length).toBeLessThan(400);
  });

  it('come back from the blob', () => {
    const event = resultAt(0, { rows: [large], blobs: ['value'] });
    const encoded = encodeEvent(event);
    const texts = new Map(encoded.blobs.map(({ hash, text }) => [hash, text]));
    expect(decodeEvent(validLine(lineOf(event)), texts, place(0))).toEqual(event);
  });

  it('are told from values that look like a reference', () => {
    const event = resultAt(0, sha256('anything'));
    const line = validLine(lineOf(event));
    expect(line.blobs.size).toBe(0);
    expect(decodeEvent(line, new Map(), place(0))).toEqual(event);
  });

  it('that are missing or no JSON are log_corrupt', () => {
    const line = validLine(lineOf(resultAt(0, large)));
    const [hash = ''] = line.blobs.values();
    for (const texts of [new Map<string, string>(), new Map([[hash, 'x']])]) {
      expect(() => decodeEvent(line, texts, place(0))).toThrow(/event 0 at byte 0 of flight\.jsonl: .*value/);
    }
  });
});

describe('events of a line', () => {
  it('with another sequence are refused', () => {
    expect(() => decodeEvent(validLine(lineOf(noteAt(4))), new Map(), place(3))).toThrow(
      /event 3 .* says that it is event 4/,
    );
  });

  it('that the schema refuses name the field', () => {
    const odd = eventAt(0, { type: 'tool.logged', node: 'n', message: 7 } as never);
    expect(() => decodeEvent(validLine(lineOf(odd)), new Map(), place(0))).toThrow(/event 0 .*: \/message: /);
    const unknown = eventAt(0, { type: 'tool.unheard' } as never);
    expect(() => decodeEvent(validLine(lineOf(unknown)), new Map(), place(0))).toThrow(
      /it is not an event: \/type/,
    );
  });

  it('of an older version are brought up step by step', () => {
    const old = eventAt(0, { type: 'tool.logged', node: 'n', text: 'hi' } as never);
    const versions = {
      current: 3,
      upcasts: {
        1: ({ text = null, ...rest }: Record<string, unknown>) => ({ ...rest, line: text }) as never,
        2: ({ line = null, ...rest }: Record<string, unknown>) => ({ ...rest, message: line }) as never,
      },
    };
    expect(decodeEvent(validLine(lineOf(old)), new Map(), place(0), versions)).toEqual({
      ...old,
      text: undefined,
      message: 'hi',
    });
    expect(() =>
      decodeEvent(validLine(lineOf(old)), new Map(), place(0), { ...versions, upcasts: {} }),
    ).toThrow(/version 1 can no longer be read/);
  });

  it('of a newer version are refused', () => {
    const line = { ...validLine(lineOf(noteAt(0))), version: 2 };
    expect(() => decodeEvent(line, new Map(), place(0))).toThrow(/version 2, and this program reads up to 1/);
  });
});
