const MAX_PATTERN_CHARS = 500;

/**
 * Whether a regular expression might take for ever on some text: a repeated group that itself repeats or chooses, a
 * back reference, or too long to tell. It errs on the safe side.
 */
export function isRiskyPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS) return true;
  const groups: { varies: boolean }[] = [];
  let closed: { varies: boolean } | null = null;
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index];
    const isRepeat =
      char === '*' || char === '+' || (char === '{' && /^\{\d*,?\d*\}/.test(pattern.slice(index)));
    if (isRepeat) {
      if (closed?.varies === true) return true;
      for (const group of groups) group.varies = true;
    }
    closed = null;
    if (char === '\\') {
      if (/[1-9k]/.test(pattern[index + 1] ?? '')) return true;
      index++;
    } else if (char === '[') {
      index = endOfClass(pattern, index);
    } else if (char === '(') {
      groups.push({ varies: false });
    } else if (char === '|' || char === '?') {
      // The mark behind an opening bracket says what kind of group it is.
      if (pattern[index - 1] !== '(') for (const group of groups) group.varies = true;
    } else if (char === ')') {
      closed = groups.pop() ?? null;
      if (closed?.varies === true) for (const group of groups) group.varies = true;
    }
  }
  return false;
}

function endOfClass(pattern: string, start: number): number {
  for (let index = start + 1; index < pattern.length; index++) {
    if (pattern[index] === '\\') index++;
    else if (pattern[index] === ']') return index;
  }
  return pattern.length;
}
