import { matchesWildcards } from '../../kernel/match-glob.ts';

/** A word of a command; an open one becomes one word or more when it runs, each of which matches its text. */
export interface GivenWord {
  readonly text: string;
  readonly isOpen: boolean;
}

/**
 * Whether words may match a pattern (`*` within a word, `**` for any words). Options, with a value each, are
 * passed over where the pattern has a word that is none; with `isFed` more words may follow.
 */
export function meetsPattern(
  pattern: readonly string[],
  given: readonly GivenWord[],
  isFed: boolean,
): boolean {
  let places = passAny(pattern, new Set([0]));
  /** Places that wait behind an option, for what may be its value. */
  let behindOption = new Set<number>();
  for (const word of given) {
    const next = step(pattern, places, word);
    if (word.isOpen)
      for (const place of pattern.keys())
        if (next.has(place)) addAll(next, step(pattern, new Set([place]), word));
    const isOption = /^[-+]./.test(word.text);
    const waiting = new Set(isOption ? [...places].filter((place) => mayPass(pattern, place)) : []);
    if (!isOption) addAll(next, behindOption);
    addAll(next, waiting);
    behindOption = waiting;
    places = next;
    if (places.size === 0) return false;
  }
  return places.has(pattern.length) || (isFed && places.size > 0);
}

function step(pattern: readonly string[], places: ReadonlySet<number>, word: GivenWord): Set<number> {
  const next = new Set<number>();
  for (const place of places) {
    const wanted = pattern[place];
    if (wanted === undefined) continue;
    if (wanted === '**') next.add(place);
    else if (word.isOpen ? wildcardsMeet(wanted, word.text) : matchesWildcards(wanted, word.text))
      next.add(place + 1);
  }
  return passAny(pattern, next);
}

/** A place before `**` is one behind it, too. */
function passAny(pattern: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (pattern[place] === '**') places.add(place + 1);
  return places;
}

function mayPass(pattern: readonly string[], place: number): boolean {
  const wanted = pattern[place];
  return place > 0 && wanted !== undefined && wanted !== '**' && !wanted.startsWith('-');
}

function addAll(target: Set<number>, more: ReadonlySet<number>): void {
  for (const place of more) target.add(place);
}

/** Whether some text matches both of two patterns of `*` and `?`. */
export function wildcardsMeet(one: string, other: string): boolean {
  const left = Array.from(one);
  const right = Array.from(other);
  let row = [true];
  for (let column = 0; column < right.length; column++)
    row.push(row[column] === true && right[column] === '*');
  for (const wanted of left) {
    const next = [row[0] === true && wanted === '*'];
    for (const [column, given] of right.entries()) {
      const isSame = wanted === given || wanted === '?' || given === '?';
      next.push(
        wanted === '*' || given === '*'
          ? row[column + 1] === true || next[column] === true
          : isSame && row[column] === true,
      );
    }
    row = next;
  }
  return row.at(-1) === true;
}
