/*
 * The check that no number of a report is made up. It reads digits only: a number in words ("three cities") is not
 * seen, and neither is a false relation between true numbers. What it cannot read it reports, rather than pass it:
 * a rank ("2nd"), a sum or a difference has to stand in a result like any other number.
 */
import type { Json } from '../kernel/json.ts';
import type { CheckContext } from './check-context.ts';
import { numberKey } from './decimal.ts';
import { findNumbers, type StatedNumber } from './find-numbers.ts';
import { parseContainer, walkLeaves } from './walk-leaves.ts';

type Sources = Pick<CheckContext, 'goal' | 'inputs' | 'results'>;

/** A number of the report that stands in no source, and where. */
export interface UngroundedNumber {
  readonly raw: string;
  /** `line 3`, or `/cities/0/population` in a report that is JSON. */
  readonly place: string;
}

/**
 * The numbers of a report that equal none in the results, the goal or the inputs (their texts and keys included), in
 * any usual notation; within a relative `tolerance`. A date or time has to stand there as a whole. A whole number
 * before a noun may also be the length of a list there.
 */
export function findUngrounded(
  report: Json,
  sources: Sources,
  tolerance: number,
): { ungrounded: UngroundedNumber[]; checked: number } {
  const known = readSources(sources);
  const areKnown = (keys: readonly string[]): boolean => keys.every((key) => known.holds(key, tolerance));
  const isGrounded = ({ meanings, apart, countKey }: StatedNumber): boolean =>
    meanings.some(areKnown) ||
    (apart !== undefined && areKnown(apart)) ||
    (countKey !== undefined && known.lengths.has(countKey));
  const stated = readReport(report);
  return {
    checked: stated.length,
    ungrounded: stated
      .filter(({ number }) => !isGrounded(number))
      .map(({ number, place }) => ({ raw: number.raw, place })),
  };
}

interface PlacedNumber {
  readonly number: StatedNumber;
  readonly place: string;
}

function readReport(report: Json): PlacedNumber[] {
  if (typeof report !== 'string') return readDocument(report);
  const document = parseContainer(report);
  if (document !== undefined) return readDocument(document);
  return findNumbers(report).map((number) => ({ number, place: `line ${number.line}` }));
}

function readDocument(document: Json): PlacedNumber[] {
  const placed: PlacedNumber[] = [];
  walkLeaves(document, {
    leaf(leaf, pointer) {
      const numbers = typeof leaf === 'number' ? [exactNumber(leaf)] : findNumbers(leaf);
      for (const number of numbers) placed.push({ number, place: pointer || 'the output' });
    },
  });
  return placed;
}

function exactNumber(value: number): StatedNumber {
  return { raw: String(value), line: 1, meanings: [[numberKey(value)]], parts: [] };
}

interface KnownNumbers {
  readonly lengths: ReadonlySet<string>;
  holds(key: string, tolerance: number): boolean;
}

function readSources({ goal, inputs, results }: Sources): KnownNumbers {
  const keys = new Set<string>();
  const lengths = new Set<string>();
  const addText = (text: string): void => {
    for (const { meanings, parts } of findNumbers(text)) {
      for (const meaning of meanings) for (const key of meaning) keys.add(key);
      for (const key of parts) keys.add(key);
    }
  };
  const addValue = (value: Json): void =>
    walkLeaves(value, {
      leaf(leaf) {
        if (typeof leaf === 'number') keys.add(numberKey(leaf));
        else {
          const document = parseContainer(leaf);
          if (document === undefined) addText(leaf);
          else addValue(document);
        }
      },
      list: (length) => lengths.add(numberKey(length)),
    });
  addText(goal);
  addValue(inputs);
  for (const { value } of results) addValue(value);
  let sorted: Float64Array | null = null;
  return {
    lengths,
    holds(key, tolerance) {
      if (keys.has(key)) return true;
      if (tolerance === 0) return false;
      sorted ??= Float64Array.from([...keys].map(Number).filter(Number.isFinite)).sort();
      return holdsNear(sorted, Number(key), tolerance);
    },
  };
}

/** Whether one of the ascending numbers n has |stated − n| ≤ tolerance · |n|. */
function holdsNear(ascending: Float64Array, stated: number, tolerance: number): boolean {
  if (!Number.isFinite(stated)) return false;
  const isNear = (known: number | undefined): boolean =>
    known !== undefined && Math.abs(stated - known) <= tolerance * Math.abs(known) * (1 + Number.EPSILON);
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < stated) low = middle + 1;
    else high = middle;
  }
  // The tolerance is relative to the known number, so that for each side the nearest is the most favourable one.
  return isNear(ascending[low]) || isNear(ascending[low - 1]);
}
