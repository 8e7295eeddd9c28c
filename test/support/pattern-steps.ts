import type { Part } from '../../src/tools/mcp/parse-pattern.ts';

type Then = (at: number) => boolean;

/** Whether a text matches, found by trying one way after the other, and in how many steps; gives up after `limit` steps. */
export function matchInSteps(pattern: Part, text: string, limit: number): { found: boolean; steps: number } {
  let steps = 0;
  const match = (part: Part, at: number, then: Then): boolean => {
    if (++steps > limit) throw new RangeError('too many steps');
    switch (part.kind) {
      case 'set': {
        const unit = text.charCodeAt(at);
        return part.ranges.some(([from, to]) => from <= unit && unit <= to) && then(at + 1);
      }
      case 'start':
        return at === 0 && then(at);
      case 'end':
        return at === text.length && then(at);
      case 'boundary':
        return /\w/.test(text[at - 1] ?? '') !== /\w/.test(text[at] ?? '') && then(at);
      case 'look':
        return match(part.body, at, () => true) === part.isWanted && then(at);
      case 'sequence':
        return matchAll(part.parts, 0, at, then);
      case 'choice':
        return part.options.some((option) => match(option, at, then));
      case 'repeat':
        return matchRepeat(part, 0, at, then);
    }
  };
  const matchAll = (parts: readonly Part[], index: number, at: number, then: Then): boolean => {
    const part = parts[index];
    return part === undefined ? then(at) : match(part, at, (next) => matchAll(parts, index + 1, next, then));
  };
  const matchRepeat = (
    part: Extract<Part, { kind: 'repeat' }>,
    count: number,
    at: number,
    then: Then,
  ): boolean => {
    const isMore =
      count < part.max &&
      match(part.body, at, (next) =>
        next === at && count >= part.min ? false : matchRepeat(part, count + 1, next, then),
      );
    return isMore || (count >= part.min && then(at));
  };
  let found = false;
  for (let at = 0; at <= text.length && !found; at++) found = match(pattern, at, () => true);
  return { found, steps };
}
