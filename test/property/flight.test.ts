import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  BLOB_THRESHOLD_CHARS,
  CHAIN_START,
  decodeEvent,
  decodeLine,
  encodeEvent,
  sealLine,
} from '../../src/flight/codec.ts';
import type { EventPayload, FlightEvent } from '../../src/flight/events.ts';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { createMasker } from '../../src/flight/mask.ts';
import { readLog } from '../../src/flight/read-log.ts';
import type { Json } from '../../src/kernel/json.ts';
import { eventAt, temporaryFolder } from '../support/flight-events.ts';
import { notes } from '../support/flight-notes.ts';

/** Strings with lone surrogates, control characters, line ends of every kind and pieces of a line's own frame. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udfff', '\n', '\r', '\u2028', '\u0000', '\ufeff', '"', '\\', '$', '{'),
  }),
  fc.constantFrom('__proto__', 'constructor', '","sum":"', '"}\n{"v":1,"seq":0,', ',"durable":9', 'last'),
);

const key = fc.oneof(text, fc.constantFrom('__proto__', 'blobs', 'sum', 'durable', 'v', '7'));

/** Plain JSON, now and then large; JSON has no negative zero. */
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    text,
    fc.nat(3).map((extra) => 'ü'.repeat(BLOB_THRESHOLD_CHARS - 4 + extra)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      // As text, so that a key __proto__ is an own one.
      .map(
        (entries) =>
          JSON.parse(
            `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
          ) as Json,
      ),
  ),
})).value;

const payload: fc.Arbitrary<EventPayload> = fc.oneof(
  fc.record({ type: fc.constant('tool.logged'), node: text, message: text }),
  fc.record({
    type: fc.constant('node.done'),
    node: text,
    attempt: fc.integer({ min: 1 }),
    value: json,
  }),
  fc.record({
    type: fc.constant('approval.requested'),
    question: fc.constantFrom('consent', 'in_doubt'),
    node: text,
    tool: text,
    args: json,
    argsHash: text,
    plan: text,
  }),
  fc.record({
    type: fc.constant('node.amended'),
    node: text,
    by: fc.constant('repair'),
    args: fc.dictionary(text, json, { maxKeys: 3 }).filter((args) => !Object.hasOwn(args, '__proto__')),
    reasons: fc.array(text, { maxLength: 3 }),
  }),
  fc.record(
    {
      type: fc.constant('model.failed'),
      key: text,
      failure: fc.record({ code: text, class: fc.constant('TRANSIENT'), message: text }),
      draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map(Math.abs),
    },
    { requiredKeys: ['type', 'key', 'failure'] },
  ),
  fc.record({ type: fc.constant('run.interrupted') }),
) as fc.Arbitrary<EventPayload>;

const events: fc.Arbitrary<FlightEvent[]> = fc
  .array(payload, { minLength: 1, maxLength: 12 })
  .map((payloads) => payloads.map((item, seq) => eventAt(seq, item)));

/** What two events must agree in, key by key: `toEqual` overlooks own keys named __proto__. */
const asText = (list: readonly FlightEvent[]): string[] => list.map((event) => JSON.stringify(event));

describe('I2: decode∘encode is identity', () => {
  it('for one event', () => {
    fc.assert(
      fc.property(payload, fc.nat(), fc.stringMatching(/^[0-9a-f]{32}$/), (item, seq, previousSum) => {
        const event = eventAt(seq, item);
        const encoded = encodeEvent(event);
        const line = sealLine(encoded, seq - 1, previousSum);
        expect(line.text.indexOf('\n')).toBe(line.text.length - 1);
        const reading = decodeLine(line.text.slice(0, -1), previousSum);
        if (reading.state !== 'valid') throw new Error(reading.problem);
        const blobs = new Map(encoded.blobs.map((blob) => [blob.hash, blob.text]));
        const decoded = decodeEvent(reading.line, blobs, { seq, offset: 0, file: 'f' });
        expect(decoded).toEqual(event);
        expect(asText([decoded])).toEqual(asText([event]));
      }),
      { numRuns: 300 },
    );
  });

  it('for a log on disk, written in any batches', async () => {
    const store = new FileRunStore(temporaryFolder());
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(events, fc.array(fc.boolean()), async (list, waits) => {
        const runId = `r${runs++}`;
        const run = await store.create(runId);
        for (const [index, event] of list.entries()) {
          run.log.append(event);
          if (waits[index] === true) await run.log.whenDurable(event.seq);
        }
        await run.log.close();
        expect(asText(await store.read(runId))).toEqual(asText(list));
        const path = join(run.folder!, 'flight.jsonl');
        expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(list.length + 1);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a log of which any part was changed', () => {
  it('never gives an event that was not written, nor loses one that a whole line says was durable', async () => {
    const batches = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 });
    const change = fc.record({ from: fc.nat(), length: fc.nat(60), bytes: fc.uint8Array({ maxLength: 60 }) });
    await fc.assert(
      fc.asyncProperty(batches, change, async (sizes, { from, length, bytes }) => {
        const { lines, durable } = writtenLog(sizes);
        const log = Buffer.from(lines.join(''));
        const start = from % log.length;
        const changed = Buffer.concat([log.subarray(0, start), bytes, log.subarray(start + length)]);
        const original = notes(lines.length);
        let got: readonly FlightEvent[];
        try {
          got = (await readLog(changed, { file: 'f', readBlob: () => Promise.reject(new Error('none')) }))
            .events;
        } catch (error) {
          expect(error).toMatchObject({ code: 'log_corrupt' });
          return;
        }
        expect(got).toEqual(original.slice(0, got.length));
        // Claims of lines behind the change, whose line before is whole as well.
        let end = 0;
        for (const [index, line] of lines.entries()) {
          if (
            end > start + length + line.length &&
            changed.includes(lines.slice(index - 1, index + 1).join(''))
          ) {
            expect(got.length).toBeGreaterThan(durable[index]!);
          }
          end += line.length;
        }
      }),
      { numRuns: 500 },
    );
  });
});

function writtenLog(sizes: readonly number[]): { lines: string[]; durable: number[] } {
  const lines: string[] = [];
  const durable: number[] = [];
  let sum = CHAIN_START;
  for (const size of sizes) {
    const durableSeq = lines.length - 1;
    for (const event of notes(size, lines.length)) {
      const line = sealLine(encodeEvent(event), durableSeq, sum);
      sum = line.sum;
      lines.push(line.text);
      durable.push(durableSeq);
    }
  }
  return { lines, durable };
}

describe('a masked value', () => {
  it('holds no credential, and masking it again changes nothing', () => {
    const secret = fc.stringMatching(/^[^[\]]{8,12}$/);
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), fc.array(text), (secrets, texts) => {
        const mask = createMasker(secrets);
        const value = texts.flatMap((item) => secrets.map((known) => `${item.slice(0, 5)}${known}${item}`));
        const masked = mask(value);
        for (const item of masked) for (const known of secrets) expect(item.includes(known)).toBe(false);
        expect(mask(masked)).toBe(masked);
      }),
    );
  });
});
