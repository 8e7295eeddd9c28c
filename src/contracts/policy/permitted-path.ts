import { matchesGlob } from '../../kernel/match-glob.ts';

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
  const folded = names.map(foldName);
  if (rules.deny.some((pattern) => covers(foldPattern(pattern), folded, false))) return false;
  return rules.allow === undefined || rules.allow.some((pattern) => covers(pattern, names, true));
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
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/:.*$/s, '');
}

/** A pattern as names are compared with it. */
export function foldPattern(pattern: string): string {
  return pattern.normalize('NFKC').toLowerCase();
}

/** A pattern without what does not change its meaning. */
export function plainPattern(pattern: string): string {
  return pattern.replace(/^\.\//, '').replace(/\/+$/, '');
}

/** A pattern without a slash is what is at the top of the workspace where it allows, and any name where it denies. */
function covers(pattern: string, names: readonly string[], isAnchored: boolean): boolean {
  const plain = plainPattern(pattern);
  if (names.length === 0) return plain === '.' || plain === '' || plain === '**' || plain === '*';
  const isTop = isAnchored && !plain.includes('/');
  const depth = isTop ? 1 : names.length;
  for (let length = 1; length <= depth; length++) {
    if (matchesGlob(plain, names.slice(0, length).join('/'))) return true;
  }
  return false;
}
