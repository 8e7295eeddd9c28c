/*
 * How much work a regular expression may be, and whether more than in proportion to the text.
 *
 * 1. Where the ways on from a choice differ in their first character, a wrong choice shows at once and costs nothing.
 * 2. A choice of a few ways that does not show multiplies the work; so many of them are let pass, and no more.
 * 3. A loop whose end does not show tries what follows at each place, so what follows must not loop over the same text:
 *    something obligatory that the first loop cannot take has to stand between.
 * 4. Without `^` all of it is tried at each place of the text, so no loop may stand before anything that can fail.
 *
 * It errs on the safe side: what is repeated as a group may neither repeat nor choose.
 */
import { overlap, type Ranges, unionOf } from './code-unit-ranges.ts';
import { parsePattern, type Part } from './parse-pattern.ts';

const MAX_PATTERN_CHARS = 500;
/** A repeat of more counts as a loop. */
const MAX_BOUNDED = 64;
const MAX_WAYS = 100;
/** Most steps of what is tried at each place of the text. */
const MAX_STEPS = 500;

type Repeat = Extract<Part, { kind: 'repeat' }>;

/** What comes behind a part, to the end of the expression. */
interface Rest {
  readonly part: Part;
  readonly next: Rest | null;
  /** What it may begin with. */
  readonly first: Ranges;
  /** Whether it holds whatever the text is. */
  readonly isFree: boolean;
}

/** Whether a regular expression might take longer on some text than in proportion to its length; errs on the safe side. */
export function isRiskyPattern(pattern: string): boolean {
  return stepsOf(pattern) > MAX_STEPS;
}

/** The most steps that a regular expression takes for each character of a text; `Infinity` where they might grow with it. */
export function stepsOf(pattern: string): number {
  if (pattern.length > MAX_PATTERN_CHARS) return Infinity;
  const part = parsePattern(pattern);
  if (part === null) return isPattern(pattern) ? Infinity : 0;
  const isAnchored = (part.kind === 'choice' ? part.options : [part]).every(startsAtStart);
  let isTriedOften = !isAnchored;

  /** How often what is behind the part may be tried at one place; `Infinity` where that grows with the text. */
  const waysOf = (each: Part, rest: Rest | null): number => {
    switch (each.kind) {
      case 'sequence': {
        let ways = 1;
        let behind = rest;
        for (const item of [...each.parts].reverse()) {
          ways *= waysOf(item, behind);
          behind = prepend(item, behind);
        }
        return ways;
      }
      case 'choice':
        return conflictsOf(each.options, rest) * Math.max(...each.options.map((one) => waysOf(one, rest)));
      case 'look':
        return hasLoop(each.body) && !isAnchored ? Infinity : waysOf(each.body, null);
      case 'repeat':
        return waysOfRepeat(each, rest);
      case 'set':
      case 'start':
      case 'end':
      case 'boundary':
        return 1;
    }
  };
  const waysOfRepeat = (repeat: Repeat, rest: Rest | null): number => {
    const { min, max, body } = repeat;
    if (max > 1 && (isVaried(body) || headOf(body).passes)) return Infinity;
    const isFree = rest?.isFree ?? true;
    const isOpen = min !== max && !isFree && overlap(headOf(body).ranges, rest?.first ?? []);
    if (!isLoop(repeat)) return waysOf(body, rest) * (isOpen ? max - min + 1 : 1);
    if (!isAnchored && !isFree) return Infinity;
    if (!isOpen) return 1;
    isTriedOften = true;
    return loopsAgain(rest, takenBy(body)) ? Infinity : 1;
  };

  const ways = waysOf(part, null);
  if (ways > MAX_WAYS || hasLateLook(part)) return Infinity;
  return isTriedOften ? ways * Math.max(1, widthOf(part)) : ways;
}

/** What is no expression at all is told of where it is compiled. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

function prepend(part: Part, next: Rest | null): Rest {
  const { ranges, passes } = headOf(part);
  const first = passes ? unionOf(ranges, next?.first ?? []) : ranges;
  return { part, next, first, isFree: isAlwaysMet(part) && (next?.isFree ?? true) };
}

/** What a part may begin with, and whether it can be passed without taking anything. */
function headOf(part: Part): { readonly ranges: Ranges; readonly passes: boolean } {
  switch (part.kind) {
    case 'set':
      return { ranges: part.ranges, passes: false };
    case 'end':
      return { ranges: [], passes: false };
    case 'sequence': {
      const heads: Ranges[] = [];
      for (const each of part.parts) {
        const { ranges, passes } = headOf(each);
        heads.push(ranges);
        if (!passes) return { ranges: unionOf(...heads), passes };
      }
      return { ranges: unionOf(...heads), passes: true };
    }
    case 'choice': {
      const heads = part.options.map(headOf);
      return {
        ranges: unionOf(...heads.map(({ ranges }) => ranges)),
        passes: heads.some(({ passes }) => passes),
      };
    }
    case 'repeat': {
      const { ranges, passes } = headOf(part.body);
      return { ranges, passes: passes || part.min === 0 };
    }
    case 'start':
    case 'boundary':
    case 'look':
      return { ranges: [], passes: true };
  }
}

function isAlwaysMet(part: Part): boolean {
  if (part.kind === 'sequence') return part.parts.every(isAlwaysMet);
  if (part.kind === 'choice') return part.options.some(isAlwaysMet);
  return part.kind === 'repeat' && (part.min === 0 || isAlwaysMet(part.body));
}

/** The most options that the same text may meet. */
function conflictsOf(options: readonly Part[], rest: Rest | null): number {
  if (rest?.isFree ?? true) return 1;
  const heads = options.map((option) => ({ ...prepend(option, rest), texts: setsOf(option) }));
  const counts = heads.map(
    (one) =>
      heads.filter((other) => {
        const shared = Math.min(one.texts?.length ?? 0, other.texts?.length ?? 0);
        if (shared === 0) return overlap(one.first, other.first);
        return (one.texts ?? [])
          .slice(0, shared)
          .every((set, place) => overlap(set, other.texts?.[place] ?? []));
      }).length,
  );
  return Math.max(1, ...counts);
}

/** The sets of a part that takes one after the other; null where it is more than that. */
function setsOf(part: Part): readonly Ranges[] | null {
  if (part.kind === 'set') return [part.ranges];
  if (part.kind !== 'sequence') return null;
  const sets = part.parts.map(setsOf);
  return sets.includes(null) ? null : sets.flatMap((each) => each ?? []);
}

/** Whether what follows comes to a loop over characters of `taken` before something that is none of them. */
function loopsAgain(rest: Rest | null, taken: Ranges): boolean {
  for (let each = rest; each !== null; each = each.next) {
    const found = walk(each.part, taken);
    if (found !== 'through') return found === 'loop';
  }
  return false;
}

function walk(part: Part, taken: Ranges): 'loop' | 'stop' | 'through' {
  switch (part.kind) {
    case 'set':
      return overlap(part.ranges, taken) ? 'through' : 'stop';
    case 'end':
      return 'stop';
    case 'sequence':
      return part.parts.map((each) => walk(each, taken)).find((found) => found !== 'through') ?? 'through';
    case 'choice': {
      const found = part.options.map((each) => walk(each, taken));
      return found.includes('loop') ? 'loop' : found.includes('through') ? 'through' : 'stop';
    }
    case 'repeat': {
      if (isLoop(part) && overlap(takenBy(part.body), taken)) return 'loop';
      const found = walk(part.body, taken);
      return found === 'stop' && part.min === 0 ? 'through' : found;
    }
    case 'start':
    case 'boundary':
    case 'look':
      return 'through';
  }
}

function childrenOf(part: Part): readonly Part[] {
  if (part.kind === 'sequence') return part.parts;
  if (part.kind === 'choice') return part.options;
  return part.kind === 'repeat' || part.kind === 'look' ? [part.body] : [];
}

function takenBy(part: Part): Ranges {
  return part.kind === 'set' ? part.ranges : unionOf(...childrenOf(part).map(takenBy));
}

function isLoop({ max }: Repeat): boolean {
  return max > MAX_BOUNDED;
}

function hasLoop(part: Part): boolean {
  return (part.kind === 'repeat' && isLoop(part)) || childrenOf(part).some(hasLoop);
}

/** Whether there is more than one text that it takes, but for its characters. */
function isVaried(part: Part): boolean {
  return ['repeat', 'choice', 'look'].includes(part.kind) || childrenOf(part).some(isVaried);
}

/** Whether it looks ahead in a loop from anywhere but the start of the text. */
function hasLateLook(part: Part, isAtStart = true): boolean {
  if (part.kind === 'look') return hasLoop(part.body) && !isAtStart;
  if (part.kind !== 'sequence')
    return childrenOf(part).some((each) => hasLateLook(each, isAtStart && part.kind === 'choice'));
  let isStill = isAtStart;
  return part.parts.some((each) => {
    const isLate = hasLateLook(each, isStill);
    isStill &&= each.kind === 'start' || each.kind === 'look';
    return isLate;
  });
}

function startsAtStart(part: Part): boolean {
  return part.kind === 'start' || (part.kind === 'sequence' && part.parts[0]?.kind === 'start');
}

/** How many characters it takes at most, but for loops. */
function widthOf(part: Part): number {
  if (part.kind === 'set') return 1;
  const width = childrenOf(part).reduce((sum, each) => sum + widthOf(each), 0);
  return part.kind === 'repeat' && !isLoop(part) ? width * part.max : width;
}
