import { z } from 'zod';
import { didYouMean } from '../kernel/did-you-mean.ts';
import type { Json } from '../kernel/json.ts';
import { describeType, describeValue, joinChoices } from './describe-value.ts';
import type { TaskFinding, TaskPath } from './problem.ts';
import { didYouMeanHint } from './problem.ts';
import { keysOfSchema, schemaAtPath } from './schema-walk.ts';

type Issue = z.core.$ZodIssue;

/** Every issue of a zod error in words: one finding a value, one for each unknown key. */
export function describeIssues(schema: z.ZodType, error: z.ZodError, value: Json): TaskFinding[] {
  const findings = new Map<string, TaskFinding>();
  for (const issue of error.issues) {
    for (const finding of describeIssue(issue, [], schema, value)) {
      const id = JSON.stringify(finding.path);
      if (!findings.has(id)) findings.set(id, finding);
    }
  }
  return [...findings.values()];
}

function describeIssue(issue: Issue, prefix: TaskPath, schema: z.ZodType, root: Json): TaskFinding[] {
  const path = [...prefix, ...(issue.path as (string | number)[])];
  const received = valueAtPath(root, path);
  if (issue.code === 'unrecognized_keys') {
    const known = keysOfSchema(schemaAtPath(schema, path));
    return issue.keys.map((key) => describeUnknownKey([...path, key], key, known));
  }
  if (issue.code === 'invalid_union') {
    const branch = nearestBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => describeIssue(inner, path, schema, root));
  }
  if (received === undefined) {
    return [{ path, at: 'value', message: 'is missing', hint: `expected ${expectedOf(issue)}` }];
  }
  return [{ path, at: 'value', ...describeWrongValue(issue, received) }];
}

function describeUnknownKey(path: TaskPath, key: string, known: readonly string[]): TaskFinding {
  const near = didYouMean(key, known);
  const hint =
    near === null && known.length > 0 ? { hint: `known are ${known.join(', ')}` } : didYouMeanHint(near);
  return { path, at: 'key', message: 'unknown key', ...hint };
}

/** The branch of a union that has the right type and is wrong further in; null where none has. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const near = branches.filter((branch) => branch.length > 0 && !branch.some(isWrongType));
  return near.sort((a, b) => faultsOf(a) - faultsOf(b))[0] ?? null;
}

/** How far off a branch is; each key that it does not know counts. */
function faultsOf(branch: readonly Issue[]): number {
  return branch.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

function isWrongType(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_union') return nearestBranch(issue.errors) === null;
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function describeWrongValue(issue: Issue, received: Json): { message: string; hint?: string } {
  const got = describeValue(received);
  switch (issue.code) {
    case 'invalid_value': {
      const near = typeof received === 'string' ? didYouMean(received, issue.values.map(String)) : null;
      return { message: `expected ${expectedOf(issue)}, got ${got}`, ...didYouMeanHint(near) };
    }
    case 'invalid_type':
      return { message: `expected ${expectedOf(issue)}, got ${got}`, ...typeHint(issue.expected, received) };
    case 'too_small':
    case 'too_big':
      if (issue.code === 'too_small' && received === '') return { message: 'is empty' };
      return { message: `expected ${expectedOf(issue)}, got ${got}` };
    case 'invalid_union':
      return { message: `expected ${expectedOf(issue)}, got ${got}` };
    case 'invalid_key':
      return { message: issue.issues[0]?.message ?? issue.message };
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_element':
    case 'custom':
      return { message: issue.message };
  }
}

function typeHint(expected: string, received: Json): { hint?: string } {
  if (received === null) return { hint: 'leave the key out for its default' };
  const isNumber = expected === 'number' || expected === 'int';
  if (isNumber && typeof received === 'string' && /^[-+]?\d+(\.\d+)?$/.test(received)) {
    return { hint: `write ${received} without quotes` };
  }
  if (expected === 'array' && typeof received === 'string') return { hint: `write [${received}]` };
  if (expected === 'string' && typeof received !== 'object') return { hint: `in quotes it is text` };
  return {};
}

/** What would have been right, in words. */
function expectedOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected);
    case 'invalid_value':
      return joinChoices(issue.values.map(String));
    case 'too_small':
      return boundOf(issue.origin, issue.inclusive === false ? 'above' : 'of at least', issue.minimum);
    case 'too_big':
      return boundOf(issue.origin, issue.inclusive === false ? 'below' : 'of at most', issue.maximum);
    case 'invalid_union':
      return joinChoices([...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(expectedOf)))]);
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message;
  }
}

function boundOf(origin: string, words: string, bound: number | bigint): string {
  if (origin === 'array') return `a list ${words} ${bound} ${bound === 1 ? 'item' : 'items'}`;
  if (origin === 'string') return `a text ${words} ${bound} ${bound === 1 ? 'character' : 'characters'}`;
  return `a number ${words} ${bound}`;
}

/** The value at a path, undefined where nothing is there; own properties only. */
export function valueAtPath(root: Json, path: TaskPath): Json | undefined {
  let current: Json | undefined = root;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as { readonly [key: string]: Json })[step];
  }
  return current;
}
