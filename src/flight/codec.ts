/*
 * One event as one line of the log, and back:
 *
 *   {"v":1,"seq":7,"at":…,"type":"…", …fields…, "blobs":["value"],"durable":6,"sum":"…"}
 *
 * - `sum` is chained: it covers the sum of the line before and every character of this line before itself.
 * - `durable` is the last sequence that was durable when the line was sealed; it tells damage from a torn tail.
 * - `blobs` names the fields whose value lies beside the log; in their place stands its SHA-256. It is part of the
 *   frame, so no value of a user can be taken for a reference.
 */
import { z } from 'zod';
import { OrchestratorError } from '../kernel/errors.ts';
import { sha256 } from '../kernel/hash.ts';
import { isJsonObject, type Json, type JsonObject, setOwn, toPointer } from '../kernel/json.ts';
import { withDefaults } from '../kernel/with-defaults.ts';
import { type FlightEvent, parseEvent } from './events.ts';

/** The version of the lines that are written. */
export const FLIGHT_VERSION = 1;

/** What stands for the sum of the line before the first. */
export const CHAIN_START = '';

/** A field whose JSON text is longer than this many characters is stored as a blob. */
export const BLOB_THRESHOLD_CHARS = 16_384;

const SUM_LENGTH = 32;
const TRAILER_START = ',"sum":"';
const TRAILER_LENGTH = TRAILER_START.length + SUM_LENGTH + '"}'.length;

/** A value that is stored beside the log: its JSON text and the SHA-256 of that. */
export interface Blob {
  readonly hash: string;
  readonly text: string;
}

/** An event as the inside of a line that is not sealed yet, and the blobs that it names. */
export interface EncodedEvent {
  readonly seq: number;
  readonly fields: string;
  readonly blobs: readonly Blob[];
}

const NO_BLOBS: readonly Blob[] = [];

/** The text of an event; fields over the threshold become blobs. The event may change afterwards. */
export function encodeEvent(event: FlightEvent): EncodedEvent {
  const text = JSON.stringify(event);
  if (text.length <= BLOB_THRESHOLD_CHARS)
    return { seq: event.seq, fields: text.slice(1, -1), blobs: NO_BLOBS };
  const parts: string[] = [];
  const blobs: Blob[] = [];
  const names: string[] = [];
  for (const [name, value] of Object.entries(event) as [string, Json | undefined][]) {
    if (value === undefined) continue;
    let field = JSON.stringify(value);
    if (field.length > BLOB_THRESHOLD_CHARS) {
      const blob = { hash: sha256(field), text: field };
      blobs.push(blob);
      names.push(name);
      field = JSON.stringify(blob.hash);
    }
    parts.push(JSON.stringify(name) + ':' + field);
  }
  if (names.length > 0) parts.push('"blobs":' + JSON.stringify(names));
  return { seq: event.seq, fields: parts.join(','), blobs };
}

/** A line as it is written, with its newline, and the sum that the next line is chained to. */
export interface SealedLine {
  readonly text: string;
  readonly sum: string;
}

/** Seals the text of an event as the line after the one with that sum. */
export function sealLine(encoded: EncodedEvent, durableSeq: number, previousSum: string): SealedLine {
  const body = `{"v":${FLIGHT_VERSION},${encoded.fields},"durable":${durableSeq}`;
  const sum = chainSum(previousSum, body);
  return { text: body + TRAILER_START + sum + '"}\n', sum };
}

function chainSum(previousSum: string, body: string): string {
  return sha256(previousSum + body).slice(0, SUM_LENGTH);
}

/** A line whose sum is right. */
export interface DecodedLine {
  readonly version: number;
  readonly durableSeq: number;
  readonly sum: string;
  /** Fields whose value is a blob, and the hash that stands in its place. */
  readonly blobs: ReadonlyMap<string, string>;
  readonly event: JsonObject;
}

/** A line that was read: right, changed (whole, but not what was written) or torn (not even whole). */
export type LineReading =
  | { readonly state: 'valid'; readonly line: DecodedLine }
  | { readonly state: 'changed'; readonly problem: string }
  | { readonly state: 'torn'; readonly problem: string };

/** Reads a line, without its newline, as the one after the line with that sum; never throws. */
export function decodeLine(text: string, previousSum: string): LineReading {
  const body = lineBody(text);
  const sum = lineSum(text);
  const hasTrailer = text.startsWith(TRAILER_START, body.length) && text.endsWith('"}');
  if (!hasTrailer || chainSum(previousSum, body) !== sum) {
    return parseObject(text) === null
      ? { state: 'torn', problem: 'the line is not whole' }
      : { state: 'changed', problem: 'the checksum does not match the line and the lines before it' };
  }
  const fields = parseObject(body + '}');
  const frame = frameSchema.safeParse(fields);
  if (fields === null || !frame.success) return { state: 'changed', problem: 'the line has no valid frame' };
  const { v: version, durable: durableSeq, blobs: names = [] } = frame.data;
  const blobs = new Map<string, string>();
  for (const name of names) {
    const hash = fields[name];
    if (typeof hash !== 'string')
      return { state: 'changed', problem: `the field ${name} names no stored value` };
    blobs.set(name, hash);
  }
  const event: Record<string, Json> = {};
  for (const name of Object.keys(fields)) {
    if (name !== 'v' && name !== 'durable' && name !== 'blobs') setOwn(event, name, fields[name] as Json);
  }
  return { state: 'valid', line: { version, durableSeq, sum, blobs, event } };
}

const frameSchema = z.object({
  v: z.int().positive(),
  durable: z.int().min(-1),
  blobs: z.array(z.string()).optional(),
});

/** The sum that a line claims, by its place in the text. */
export function lineSum(text: string): string {
  return text.slice(-SUM_LENGTH - 2, -2);
}

/** The sum that a line ought to claim. */
export function expectedSum(text: string, previousSum: string): string {
  return chainSum(previousSum, lineBody(text));
}

function lineBody(text: string): string {
  return text.slice(0, Math.max(0, text.length - TRAILER_LENGTH));
}

function parseObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Brings an event of one version to the next. */
export type Upcast = (event: JsonObject) => JsonObject;

/** The version that is read as it is, and the steps from each version before it. */
export interface Versions {
  readonly current: number;
  readonly upcasts: { readonly [version: number]: Upcast };
}

const VERSIONS: Versions = { current: FLIGHT_VERSION, upcasts: {} };

/** Where a line stands: sequence expected there, byte offset of its start, and the file. */
export interface LinePlace {
  readonly seq: number;
  readonly offset: number;
  readonly file: string;
}

/**
 * The event of a line, with its blobs (hash → text, verified) put in, upcast and validated. Throws `log_corrupt`.
 * What was read is returned, with the defaults of settings that it lacks, and not zod's copy, which drops keys named
 * `__proto__`.
 */
export function decodeEvent(
  line: DecodedLine,
  blobTexts: ReadonlyMap<string, string>,
  place: LinePlace,
  versions: Versions = VERSIONS,
): FlightEvent {
  if (line.event['seq'] !== place.seq) {
    throw corruptLog(place, `the line says that it is event ${JSON.stringify(line.event['seq'])}`);
  }
  const event = upcastEvent(withBlobs(line, blobTexts, place), line.version, place, versions);
  try {
    const parsed = parseEvent(event);
    return (SETTINGS.has(parsed.type)
      ? withDefaults(event, parsed as unknown as Json)
      : event) as unknown as FlightEvent;
  } catch (error) {
    throw corruptLog(place, describeInvalid(error), error);
  }
}

/** Events that hold settings of the task: one that came later has its default in the logs from before. */
const SETTINGS: ReadonlySet<string> = new Set(['run.started', 'run.resumed', 'run.forked']);

function withBlobs(line: DecodedLine, texts: ReadonlyMap<string, string>, place: LinePlace): JsonObject {
  if (line.blobs.size === 0) return line.event;
  const event: Record<string, Json> = { ...line.event };
  for (const [name, hash] of line.blobs) {
    const value = parseJson(texts.get(hash) ?? '');
    if (value === undefined) throw corruptLog(place, `the stored value of the field ${name} is not JSON`);
    setOwn(event, name, value);
  }
  return event;
}

function upcastEvent(event: JsonObject, from: number, place: LinePlace, versions: Versions): JsonObject {
  if (from > versions.current) {
    const problem = `it has version ${from}, and this program reads up to ${versions.current}`;
    throw corruptLog(
      place,
      problem,
      undefined,
      'Read this log with the version of the program that wrote it.',
    );
  }
  let upcasted = event;
  for (let version = from; version < versions.current; version++) {
    const upcast = versions.upcasts[version];
    if (upcast === undefined) throw corruptLog(place, `version ${version} can no longer be read`);
    upcasted = upcast(upcasted);
  }
  return upcasted;
}

function describeInvalid(error: unknown): string {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
  if (issue === undefined) return 'it is not an event';
  return `it is not an event: ${toPointer(issue.path.map(String)) || '(root)'}: ${issue.message}`;
}

/** A `log_corrupt` that says which event, where it stands and what is wrong with it. */
export function corruptLog(
  place: LinePlace,
  problem: string,
  cause?: unknown,
  hint?: string,
): OrchestratorError {
  return new OrchestratorError(
    'log_corrupt',
    `event ${place.seq} at byte ${place.offset} of ${place.file}: ${problem}`,
    {
      details: { seq: place.seq, offset: place.offset, file: place.file, problem },
      ...(cause === undefined ? {} : { cause }),
      ...(hint === undefined ? {} : { hint }),
    },
  );
}
