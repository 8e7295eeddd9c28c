import { expandBraces, matchesNames } from '../../kernel/match-glob.ts';

/** Patterns of which one must match, where there are any, and of which none may. */
export interface Rules {
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/**
 * Whether policy permits a path. A pattern covers what lies below the folder that it matches. Denials hold whatever the
 * case, composition or width of the letters; what is allowed must be written as it is. A path that cannot be told, or leads out of
 * the workspace, is not permitted.
 */
export function isPermittedPath(path: string, rules: Rules, workspace = ''): boolean {
  const names = placeOf(path, workspace);
  if (names === null) return false;
  if (names.length === 0) return !rules.deny.some(isAll) && (rules.allow?.some(isAll) ?? true);
  // Some letters are, folded, a text with a slash.
  const folded = names.map((name) => foldName(name).split('/'));
  if (rules.deny.some((pattern) => covers(deniedParts(pattern), folded))) return false;
  const plain = names.map((name) => [name]);
  return rules.allow === undefined || rules.allow.some((pattern) => covers(patternParts(pattern), plain));
}

/** The names on the way from the workspace; null where the text leads out of it or may mean several places. */
function placeOf(path: string, workspace: string): readonly string[] | null {
  if (isUnclear(path, true)) return null;
  const isBelow =
    workspace !== '' && (path === workspace || path.startsWith(`${workspace.replace(/\/$/, '')}/`));
  const inside = isBelow ? path.slice(workspace.length) : path;
  if (!isBelow && path.startsWith('/')) return null;
  const names: string[] = [];
  for (const name of inside.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names;
}

/** Whether a text may mean several places, to one or another reader; `isTop` where it begins a path. */
export function isUnclear(path: string, isTop: boolean): boolean {
  return /[\\\p{Cc}\p{Cs}]|\p{Cf}/u.test(path) || (isTop && /^(?:[a-z]:|~)/i.test(path));
}

/** A name as it is compared by file systems that know neither case nor compositions nor trailing dots. */
export function foldName(name: string): string {
  return foldEnd(foldLetters(name));
}

function foldLetters(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function foldEnd(name: string): string {
  return name.replace(/:.*$/s, '').replace(/[. ]+$/, '');
}

/** The parts of a pattern that allows, for each of its alternatives, without those that lead nowhere. */
export function patternParts(pattern: string): string[][] {
  return expandBraces(pattern).map((each) => each.split('/').filter((part) => part !== '' && part !== '.'));
}

/** The parts of a pattern that denies, as folded names are compared with them; one alone is a name in any folder. */
export function deniedParts(pattern: string): string[][] {
  return patternParts(foldLetters(pattern)).map((parts) => {
    const folded = parts.map(foldEnd);
    if (folded.length === 0) return ['**'];
    return folded.length === 1 ? ['**', ...folded] : folded;
  });
}

/** Whether a pattern covers the workspace itself. */
function isAll(pattern: string): boolean {
  return patternParts(foldLetters(pattern)).some((parts) => /^\*{0,2}$/.test(parts.join('/')));
}

/** Whether one of the alternatives matches a way, or the way to a folder on it. */
function covers(alternatives: readonly (readonly string[])[], way: readonly (readonly string[])[]): boolean {
  return way.some((_, index) => {
    const names = way.slice(0, index + 1).flat();
    return alternatives.some((parts) => matchesNames(parts, names));
  });
}
