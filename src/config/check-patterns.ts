import { isUnclear, patternParts } from '../contracts/policy/permitted-path.ts';
import { MAX_ALTERNATIVES } from '../kernel/match-glob.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { TaskFinding, TaskPath } from './problem.ts';
import { valueAtPath } from './schema-findings.ts';

type Fault = Pick<TaskFinding, 'message' | 'hint'>;

/** The patterns of `policy.paths` that match nothing, or not what they seem to: a denial would not hold. */
export function findPatternProblems(candidate: JsonObject): TaskFinding[] {
  return [
    ...findIn(candidate, ['policy', 'paths', 'allow'], allowFault),
    ...findIn(
      candidate,
      ['policy', 'paths', 'deny'],
      (pattern) => pathFault(pattern.normalize('NFKC')) ?? colonFault(pattern),
    ),
  ];
}

/** The patterns of `policy.paths` that are paths of the machine, as the folder of the task shows. */
export function findMachinePaths(candidate: Json, folder: string): TaskFinding[] {
  const find = (pattern: string): Fault | null => {
    if (!pattern.startsWith('/') || firstName(pattern) !== firstName(folder)) return null;
    const below = pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : '';
    return machinePath(pattern, below === '' ? null : below);
  };
  return ['allow', 'deny'].flatMap((key) => findIn(candidate, ['policy', 'paths', key], find));
}

function findIn(candidate: Json, path: TaskPath, faultOf: (pattern: string) => Fault | null): TaskFinding[] {
  const patterns = valueAtPath(candidate, path);
  if (!Array.isArray(patterns)) return [];
  return patterns.flatMap((pattern: Json, index) => {
    const fault = typeof pattern === 'string' && pattern !== '' ? faultOf(pattern) : null;
    return fault === null ? [] : [{ path: [...path, index], at: 'value' as const, ...fault }];
  });
}

/** Folders of machines that hardly any workspace has. */
const MACHINE_FOLDERS = new Set([
  'etc',
  'home',
  'root',
  'usr',
  'proc',
  'sys',
  'mnt',
  'media',
  'Users',
  'Volumes',
]);

/** `.` allows the folder of the workspace alone, without what is in it. */
function allowFault(pattern: string): Fault | null {
  return pattern === '.' || pattern === './' ? null : pathFault(pattern);
}

function pathFault(pattern: string): Fault | null {
  const text = JSON.stringify(pattern);
  if (isUnclear(pattern, false)) {
    const message = `${text} holds a backslash or a sign that cannot be seen, so it matches no path`;
    return { message, hint: 'write / between folders, and ? for such a sign in a name' };
  }
  if (/^~(?:\/|$)/.test(pattern) || (pattern.startsWith('/') && MACHINE_FOLDERS.has(firstName(pattern))))
    return machinePath(pattern, null);
  if (/[[\]]/.test(pattern)) {
    const message = `${text} holds brackets, which stand for no choice of letters`;
    return { message, hint: 'write {a,b} for one of several, and ? for a bracket in a name' };
  }
  if (/[?*+@!]\([^)]*\|/.test(pattern)) {
    const message = `${text} holds parentheses, which stand for no choice`;
    return { message, hint: 'write {a,b} for one of several' };
  }
  return braceFault(pattern) ?? partsFault(pattern);
}

function braceFault(pattern: string): Fault | null {
  const text = JSON.stringify(pattern);
  if (!isBalanced(pattern)) {
    const message = `${text} has braces that are not paired`;
    return { message, hint: 'write {a,b} for one of several, and ? for a brace in a name' };
  }
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern)) {
    const message = `${text} holds a range, which braces do not stand for`;
    return { message, hint: 'write each of them, such as {1,2,3}' };
  }
  if (patternParts(pattern).every((parts) => parts.every((part) => !/[{}]/.test(part)))) return null;
  const message = `${text} stands for more than ${MAX_ALTERNATIVES} patterns, or has its braces too deep`;
  return { message, hint: 'write several patterns with fewer braces, or * for a part of a name' };
}

function isBalanced(pattern: string): boolean {
  let depth = 0;
  for (const [sign] of pattern.matchAll(/[{}]/g)) {
    depth += sign === '{' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function partsFault(pattern: string): Fault | null {
  const text = JSON.stringify(pattern);
  const alternatives = patternParts(pattern);
  if (alternatives.some((parts) => parts.includes('..'))) {
    const message = `${text} holds .., so it matches no path of the workspace`;
    return { message, hint: 'write the path from the workspace on, without ..' };
  }
  if (alternatives.every((parts) => parts.some((part) => /[^. ]/.test(part)))) return null;
  const message = `${text} names nothing in the workspace`;
  return { message, hint: 'write the name of a file or folder, or ** for everything' };
}

function colonFault(pattern: string): Fault | null {
  if (!pattern.normalize('NFKC').includes(':')) return null;
  const message = `${JSON.stringify(pattern)} holds a colon, and names are compared without what follows one`;
  return { message, hint: 'write what stands before it, and * behind that' };
}

function machinePath(pattern: string, below: string | null): Fault {
  const message = `${JSON.stringify(pattern)} is a path of the machine, and patterns begin at the workspace`;
  const inside = below ?? pattern.replace(/^[~/]+/, '');
  const hint =
    below === null
      ? 'what lies outside of the workspace is permitted by no rule; for a folder of that name in it leave the / at the beginning out'
      : `write ${inside}`;
  return { message, hint };
}

function firstName(path: string): string {
  return path.split('/').find((name) => name !== '') ?? '';
}
