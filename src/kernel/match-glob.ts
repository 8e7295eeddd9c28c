const MAX_ALTERNATIVES = 64;

/**
 * Whether a path with slashes matches a pattern: `*` and `?` within a name, `**` for any folders, `{a,b}` for either. A
 * pattern without a slash is matched with the last name alone. Takes time in proportion to both lengths.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const names = path.split('/');
  const wanted = pattern.includes('/') ? names : names.slice(-1);
  return expandBraces(pattern).some((plain) => matchNames(plain.split('/'), wanted));
}

/** The patterns that one with braces stands for; what is beyond the limit is taken literally. */
export function expandBraces(pattern: string): string[] {
  let expanded = [pattern];
  for (;;) {
    const next = expanded.flatMap((part) => {
      const braces = /^([^{}]*)\{([^{}]*)\}(.*)$/s.exec(part);
      if (braces === null) return [part];
      const [, before = '', inner = '', after = ''] = braces;
      return inner.split(',').map((choice) => before + choice + after);
    });
    if (next.length === expanded.length && next.every((part, index) => part === expanded[index])) return next;
    if (next.length > MAX_ALTERNATIVES) return expanded;
    expanded = next;
  }
}

function matchNames(pattern: readonly string[], names: readonly string[]): boolean {
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
