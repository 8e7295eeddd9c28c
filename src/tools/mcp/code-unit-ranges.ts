/** A set of UTF-16 code units, as ranges with both ends in it. */
export type Ranges = readonly (readonly [number, number])[];

const MAX_UNIT = 0xffff;

/** Every code unit. */
export const ANY: Ranges = [[0, MAX_UNIT]];
/** What `\d` takes. */
export const DIGITS: Ranges = [[0x30, 0x39]];
/** What `\w` takes. */
export const WORDS: Ranges = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
/** What ends a line: `.` takes all but these. */
export const LINE_ENDS: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
/** What `\s` takes. */
export const SPACES: Ranges = [
  ...([[0x09, 0x0d]] as const),
  ...[0x20, 0xa0, 0x1680].map((unit) => [unit, unit] as const),
  ...([[0x2000, 0x200a]] as const),
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].map((unit) => [unit, unit] as const),
];

/** Every code unit that is not in the ranges. */
export function complementOf(ranges: Ranges): Ranges {
  const left: [number, number][] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > next) left.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= MAX_UNIT) left.push([next, MAX_UNIT]);
  return left;
}

/** The code units that are in any of them. */
export function unionOf(...sets: readonly Ranges[]): Ranges {
  const [first, second] = sets.filter(({ length }) => length > 0);
  if (first === undefined || second === undefined) return first ?? [];
  return complementOf(complementOf(sets.flat()));
}

/** Whether a code unit is in both. */
export function overlap(left: Ranges, right: Ranges): boolean {
  return left.some(([from, to]) => right.some((other) => from <= other[1] && other[0] <= to));
}
