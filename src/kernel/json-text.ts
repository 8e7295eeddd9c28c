import { jsonrepair } from 'jsonrepair';
import { canonicalJson } from './canonical-json.ts';
import { findDuplicateKeys } from './duplicate-keys.ts';
import { isJsonObject, type Json } from './json.ts';
import { type JsonSpan, opensJson, placeOf, scanJson } from './json-scan.ts';

/** The JSON that a text holds, or why none can be taken from it without a guess. */
export type JsonExtraction =
  | {
      /** Numbers beyond the range of JSON (1e999) are infinite in it. */
      readonly value: Json;
      /** JSON pointers of members whose key stands twice; the value holds the last. */
      readonly duplicateKeys: readonly string[];
    }
  | { readonly problem: 'not_json' | 'truncated_json' | 'ambiguous_json'; readonly message: string };

interface Candidate {
  readonly value: Json;
  readonly text: string;
  readonly members: number;
}

type Problem = Extract<JsonExtraction, { problem: string }>;

const THINKING = /\s*<(think|thinking|reasoning)>/y;

/**
 * Takes the one JSON object (or array) of the wanted shape out of a model's answer: bare, fenced, within prose, after
 * its thinking. Syntax alone is repaired; a document that is cut off or elided is never made into a shorter one.
 * Two documents of that shape are ambiguous unless they are equal. Where none has the shape the only one is given,
 * so that its reader can say what is wrong with it.
 */
export function extractJson(text: string, hasShape: (value: Json) => boolean): JsonExtraction {
  const from = endOfThinking(text);
  if (from < 0) return problem('truncated_json', 'the answer ends while it is still thinking');
  const spans = dropThoughts(text, findSpans(text, from));

  const candidates: Candidate[] = [];
  let elided: JsonSpan | null = null;
  for (const span of spans) {
    if (span.end < 0) return problem('truncated_json', describeUnclosed(text, span));
    const candidate = span.isElided && span.fault === null ? null : readSpan(text, span);
    if (candidate !== null && 'problem' in candidate) return candidate;
    if (candidate !== null) candidates.push(candidate);
    else elided ??= span;
  }

  const shaped = distinct(candidates.filter(({ value }) => hasShape(value)));
  if (shaped.length > 1)
    return problem('ambiguous_json', `${shaped.length} different documents have the right shape`);
  if (shaped[0] !== undefined) return accept(shaped[0]);
  if (elided !== null) {
    return problem(
      'truncated_json',
      `a part of the JSON at ${placeOf(text, elided.start)} is left out with "..."`,
    );
  }
  const others = distinct(candidates.filter(({ value }) => holdsObject(value)));
  if (others.length > 1)
    return problem('ambiguous_json', `${others.length} documents, and none has the right shape`);
  return others[0] === undefined ? problem('not_json', 'the answer holds no JSON object') : accept(others[0]);
}

function problem(code: Problem['problem'], message: string): Problem {
  return { problem: code, message };
}

/** Offset behind the blocks of thinking that an answer begins with; -1 where one is not closed. */
function endOfThinking(text: string): number {
  let offset = 0;
  for (;;) {
    THINKING.lastIndex = offset;
    const tag = THINKING.exec(text)?.[1];
    if (tag === undefined) return offset;
    const end = text.indexOf(`</${tag}>`, offset);
    if (end < 0) return -1;
    offset = end + tag.length + 3;
  }
}

function findSpans(text: string, from: number): readonly JsonSpan[] {
  const spans: JsonSpan[] = [];
  const bracket = /[{[]/g;
  bracket.lastIndex = from;
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    if (!opensJson(text, match.index)) continue;
    const span = scanJson(text, match.index);
    spans.push(span);
    if (span.end < 0) break;
    bracket.lastIndex = span.end;
  }
  return spans;
}

/** What follows the end of a thought whose beginning the provider swallowed; the tag inside a document is text. */
function dropThoughts(text: string, spans: readonly JsonSpan[]): readonly JsonSpan[] {
  const tag = text.lastIndexOf('</think>');
  if (tag < 0 || spans.some(({ start, end }) => start < tag && (end < 0 || tag < end))) return spans;
  return spans.filter(({ start }) => start > tag);
}

function describeUnclosed(text: string, { start, fault }: JsonSpan): string {
  const cause = fault === null ? '' : ` (${placeOf(text, fault.offset)}: ${fault.what})`;
  return `the JSON that begins at ${placeOf(text, start)} is not closed${cause}`;
}

/** The value of a closed document, its syntax repaired where needed; null where a repair would leave something out. */
function readSpan(text: string, span: JsonSpan): Candidate | Problem {
  const source = text.slice(span.start, span.end);
  const value = parse(source);
  if (value !== undefined) return { value, text: source, members: span.members };
  if (span.fault !== null) {
    return problem('not_json', `broken JSON at ${placeOf(text, span.fault.offset)}: ${span.fault.what}`);
  }
  const repaired = repair(source);
  const repairedValue = repaired === null ? undefined : parse(repaired);
  const check = repaired === null ? null : scanJson(repaired, repaired.search(/[{[]/));
  if (repaired === null || repairedValue === undefined || check?.containers !== span.containers) {
    return problem(
      'not_json',
      `the JSON that begins at ${placeOf(text, span.start)} is broken beyond its syntax`,
    );
  }
  return { value: repairedValue, text: repaired, members: check.members };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function repair(text: string): string | null {
  try {
    return jsonrepair(text);
  } catch {
    return null;
  }
}

function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  return [...new Map(candidates.map((candidate) => [canonicalJson(candidate.value), candidate])).values()];
}

function accept({ value, text, members }: Candidate): JsonExtraction {
  return { value, duplicateKeys: countMembers(value) === members ? [] : findDuplicateKeys(text) };
}

function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) count += countMembers(item);
  } else {
    for (const item of Object.values(value)) count += 1 + countMembers(item);
  }
  return count;
}

function holdsObject(value: Json): boolean {
  return isJsonObject(value) || (Array.isArray(value) && (value as readonly Json[]).some(holdsObject));
}
