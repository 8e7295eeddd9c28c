/*
 * From the bytes of a log to its events. The first line that is not right ends the reading:
 * - changed (whole, but its sum is wrong): someone edited, dropped or swapped lines → refused;
 * - torn, and a later valid line says that it was durable: damage → refused;
 * - torn otherwise: the tail of a write that a crash cut short → it and what follows count as never written.
 */
import { isUtf8 } from 'node:buffer';
import {
  CHAIN_START,
  corruptLog,
  decodeEvent,
  decodeLine,
  type DecodedLine,
  expectedSum,
  type LinePlace,
  type LineReading,
  lineSum,
  type Versions,
} from './codec.ts';
import type { FlightEvent } from './events.ts';

/** Where the bytes come from. */
export interface LogSource {
  /** The file, for messages. */
  readonly file: string;
  /** The verified text of a blob; throws an error whose message says what is wrong. */
  readBlob(hash: string): Promise<string>;
}

/** What a log holds. */
export interface LogContents {
  readonly events: readonly FlightEvent[];
  /** Bytes up to the end of the last good line; what follows is a torn tail. */
  readonly size: number;
  /** Bytes up to the end of the last line that a later one says was durable. */
  readonly settledSize: number;
  /** Sum of the last good line. */
  readonly sum: string;
  /** Hashes of the blobs that were read and verified. */
  readonly blobHashes: ReadonlySet<string>;
}

const NEWLINE = 0x0a;

/** The events of a log, checked line by line; throws `log_corrupt`, naming sequence and byte offset. */
export async function readLog(bytes: Buffer, source: LogSource, versions?: Versions): Promise<LogContents> {
  const events: FlightEvent[] = [];
  const ends: number[] = [];
  const blobHashes = new Set<string>();
  let sum = CHAIN_START;
  let durableSeq = -1;
  let offset = 0;
  while (offset < bytes.length) {
    const place: LinePlace = { seq: events.length, offset, file: source.file };
    const end = bytes.indexOf(NEWLINE, offset);
    const reading: LineReading = end < 0 ? TORN : decodeBytes(bytes.subarray(offset, end), sum);
    if (reading.state === 'changed') throw corruptLog(place, reading.problem);
    if (reading.state === 'torn') {
      refuseDurable(bytes.subarray(offset), sum, place, reading.problem);
      break;
    }
    const { line } = reading;
    if (line.durableSeq >= place.seq)
      throw corruptLog(place, 'it says that it is durable before it was written');
    const blobTexts = line.blobs.size === 0 ? NO_BLOBS : await loadBlobs(line, source, place);
    for (const hash of blobTexts.keys()) blobHashes.add(hash);
    events.push(decodeEvent(line, blobTexts, place, versions));
    sum = line.sum;
    durableSeq = Math.max(durableSeq, line.durableSeq);
    offset = end + 1;
    ends.push(offset);
  }
  return { events, size: ends.at(-1) ?? 0, settledSize: ends[durableSeq] ?? 0, sum, blobHashes };
}

const NO_BLOBS: ReadonlyMap<string, string> = new Map();
const TORN = { state: 'torn', problem: 'the line is not whole' } as const;

/** Bytes that are no UTF-8 are torn: all of them would decode to the same replacement character. */
function decodeBytes(line: Buffer, previousSum: string): LineReading {
  return isUtf8(line) ? decodeLine(line.toString('utf8'), previousSum) : TORN;
}

async function loadBlobs(
  line: DecodedLine,
  source: LogSource,
  place: LinePlace,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const hash of line.blobs.values()) {
    try {
      texts.set(hash, await source.readBlob(hash));
    } catch (error) {
      throw corruptLog(place, error instanceof Error ? error.message : String(error), error);
    }
  }
  return texts;
}

/** Throws where a valid line behind a torn one says that the torn one was durable. */
function refuseDurable(tail: Buffer, sumBefore: string, place: LinePlace, problem: string): void {
  const lines = tail.toString('utf8').split('\n');
  const [torn = ''] = lines;
  for (const [index, text] of lines.entries()) {
    const previous = lines[index - 1];
    const sums = previous === undefined ? [] : [lineSum(previous)];
    // The torn line may be whole but for its sum.
    if (index === 1) sums.push(expectedSum(torn, sumBefore));
    for (const claim of [...claims(text, sums), ...claimsBehindLostNewlines(text)]) {
      if (claim < place.seq) continue;
      throw corruptLog(place, `${problem}, though a later line says that event ${claim} was durable`);
    }
  }
}

function claims(text: string, previousSums: readonly string[]): number[] {
  return previousSums.flatMap((sum) => {
    const reading = decodeLine(text, sum);
    return reading.state === 'valid' ? [reading.line.durableSeq] : [];
  });
}

/** Claims of lines whose newline before them was damaged, so that they hang on the line before. */
function claimsBehindLostNewlines(text: string): number[] {
  return [...text.matchAll(/"\}[^](?=\{"v":\d+,)/gu)].flatMap(({ index, 0: joint }) =>
    claims(text.slice(index + joint.length), [lineSum(text.slice(0, index + 2))]),
  );
}
