/** So many patterns may one with braces stand for. */
export const MAX_ALTERNATIVES = 64;
/** So many braces within or behind each other are opened. */
const MAX_BRACES = 100;

/**
 * Whether a path with slashes matches a pattern: `*` and `?` within a name, `**` for any folders, `{a,b}` for either. A
 * pattern without a slash is matched with the last name alone. Takes time in proportion to both lengths.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const names = path.split('/');
  const wanted = pattern.includes('/') ? names : names.slice(-1);
  return expandBraces(pattern).some((plain) => matchesNames(plain.split('/'), wanted));
}

/** The patterns that one with braces, also within braces, stands for; what is beyond the limit is taken literally. */
export function expandBraces(pattern: string): string[] {
  let expanded = [pattern];
  for (let round = 0; round < MAX_BRACES; round++) {
    const next = [...new Set(expanded.flatMap(expandFirst))];
    if (next.length > MAX_ALTERNATIVES) break;
    if (next.length === expanded.length && next.every((part, index) => part === expanded[index])) break;
    expanded = next;
  }
  return expanded;
}

function expandFirst(pattern: string): string[] {
  const bounds = firstBraces(pattern);
  const [open = 0] = bounds;
  const close = bounds.at(-1);
  if (close === undefined) return [pattern];
  return bounds
    .slice(1)
    .map(
      (end, index) =>
        pattern.slice(0, open) + pattern.slice((bounds[index] ?? 0) + 1, end) + pattern.slice(close + 1),
    );
}

/** Where the first braces that are closed begin, where their commas are and where they end; empty where there are none. */
function firstBraces(pattern: string): readonly number[] {
  const opened: number[][] = [];
  let first: readonly number[] = [];
  for (const { 0: sign, index } of pattern.matchAll(/[{,}]/g)) {
    if (sign === '{') opened.push([index]);
    else if (sign === ',') opened.at(-1)?.push(index);
    else {
      const closed = opened.pop();
      if (closed === undefined) continue;
      if (first.length === 0 || (closed[0] ?? 0) < (first[0] ?? 0)) first = [...closed, index];
      if (opened.length === 0) return first;
    }
  }
  return first;
}

/** Whether names match the parts of a pattern without braces, of which `**` stands for any names. */
export function matchesNames(pattern: readonly string[], names: readonly string[]): boolean {
  return matchTokens(pattern, names, '**', (part, name) =>
    matchTokens(Array.from(part), Array.from(name), '*', isSameOrAny),
  );
}

/** Whether a text matches a pattern of `*` (any characters, slashes too) and `?`. */
export function matchesWildcards(pattern: string, text: string): boolean {
  return matchTokens(Array.from(pattern), Array.from(text), '*', isSameOrAny);
}

function isSameOrAny(wanted: string, given: string): boolean {
  return wanted === '?' || wanted === given;
}

/**
 * Whether a sequence matches one in which `wildcard` stands for any number of tokens. Only the last wildcard that was
 * passed can be what has to take more, so one place to return to is enough.
 */
export function matchTokens(
  pattern: readonly string[],
  given: readonly string[],
  wildcard: string,
  matches: (wanted: string, given: string) => boolean,
): boolean {
  let at = 0;
  let index = 0;
  let back: { readonly at: number; index: number } | null = null;
  while (index < given.length) {
    const wanted = pattern[at];
    if (wanted === wildcard) {
      back = { at: ++at, index };
    } else if (wanted !== undefined && matches(wanted, given[index] ?? '')) {
      at++;
      index++;
    } else if (back !== null) {
      at = back.at;
      index = ++back.index;
    } else {
      return false;
    }
  }
  while (pattern[at] === wildcard) at++;
  return at === pattern.length;
}
