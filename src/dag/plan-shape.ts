import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { PlanProblem } from '../contracts/plan.ts';
import type { ProblemList } from './problem-list.ts';
import type { Suggestions } from './suggest.ts';

/** A node as far as its shape is sound; null stands for what is missing or has another type. */
export interface DraftNode {
  readonly index: number;
  readonly id: string | null;
  readonly tool: string | null;
  readonly args: JsonObject | null;
  readonly deps: readonly string[];
  readonly foreach: Json | undefined;
  readonly isOptional: boolean;
}

/** A plan as far as its shape is sound. */
export interface DraftPlan {
  readonly nodes: readonly DraftNode[];
  readonly output: string | null;
}

const NODE_KEYS = ['id', 'tool', 'args', 'deps', 'foreach', 'optional'] as const;
const PLAN_KEYS = ['nodes', 'output'] as const;
const NO_ARGS: JsonObject = Object.freeze({});
const MAX_ID_LENGTH = 64;

/** What models write instead. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    id: ['name', 'key', 'nodeid', 'node'],
    tool: ['type', 'function', 'action', 'toolname', 'call'],
    args: ['arguments', 'params', 'parameters', 'input', 'inputs', 'arg'],
    deps: ['dependson', 'dependencies', 'depends', 'requires', 'after', 'needs'],
    foreach: ['for', 'map', 'each', 'loop', 'over'],
    nodes: ['steps', 'tasks', 'plan', 'actions'],
    output: ['result', 'final', 'answer', 'outputs', 'outputnode', 'return'],
  }).flatMap(([key, names]) => names.map((name) => [name, key] as const)),
);

/** Reads the shape of a plan and reports what is not of it; null where there are no nodes to look at. */
export function readPlanShape(raw: Json, problems: ProblemList, suggestions: Suggestions): DraftPlan | null {
  if (!isJsonObject(raw)) {
    const kind = Array.isArray(raw) ? 'a list' : raw === null ? 'null' : `a ${typeof raw}`;
    problems.add(
      'invalid_shape',
      '',
      `a plan is an object, not ${kind}`,
      'Write {"nodes": […], "output": "id"}.',
    );
    return null;
  }
  const { nodes, output } = raw;
  if (Array.isArray(nodes) && nodes.length === 0) {
    problems.add('empty_plan', '/nodes', 'the plan has no nodes', 'Plan at least one call.');
    return null;
  }
  const meant = checkKeys(raw, PLAN_KEYS, '', 'a plan', problems, suggestions);
  if (output === undefined && !meant.has('output')) {
    problems.add(
      'missing_output',
      '/output',
      'the plan names no output',
      'Name the node whose result is the answer.',
    );
  } else if (output !== undefined && typeof output !== 'string') {
    problems.add('invalid_shape', '/output', '"output" must be the id of a node, as a string');
  }
  if (!Array.isArray(nodes)) {
    if (!meant.has('nodes')) problems.add('invalid_shape', '/nodes', '"nodes" must be a list of nodes');
    return null;
  }
  const drafts: DraftNode[] = [];
  for (let index = 0; index < nodes.length; index++) {
    drafts.push(readNode(nodes[index] as Json, index, problems, suggestions));
  }
  return { nodes: drafts, output: typeof output === 'string' ? output : null };
}

function readNode(raw: Json, index: number, problems: ProblemList, suggestions: Suggestions): DraftNode {
  if (!isJsonObject(raw)) {
    problems.add(
      'invalid_shape',
      `/nodes/${index}`,
      'a node must be an object',
      'Write {"id": …, "tool": …, "args": {…}}.',
    );
    return { index, id: null, tool: null, args: null, deps: [], foreach: undefined, isOptional: false };
  }
  const { id, tool, args, deps, foreach, optional } = raw;
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH;
  const name = typeof id === 'string' ? id : undefined;
  const complain = (key: string, message: string, hint?: string): PlanProblem =>
    problems.addAt('invalid_shape', index, name, `/${key}`, message, hint);
  const meant = hasOnly(raw, NODE_KEYS)
    ? NOTHING
    : checkKeys(raw, NODE_KEYS, `/nodes/${index}`, 'a node', problems, suggestions, name);
  if (!isId && (id !== undefined || !meant.has('id'))) {
    complain('id', `"id" must be a string of 1 to ${MAX_ID_LENGTH} characters`);
  }
  if (typeof tool !== 'string' && (tool !== undefined || !meant.has('tool'))) {
    complain('tool', '"tool" must be the name of a tool');
  }
  if (args !== undefined && !isJsonObject(args)) complain('args', '"args" must be an object');
  if (optional !== undefined && typeof optional !== 'boolean') {
    complain('optional', '"optional" must be true or false', 'Leave it out for a node that is needed.');
  }
  return {
    index,
    id: isId ? id : null,
    tool: typeof tool === 'string' ? tool : null,
    args: isJsonObject(args) ? args : args === undefined && !meant.has('args') ? NO_ARGS : null,
    deps: deps === undefined ? NO_DEPS : readDeps(deps, complain),
    foreach,
    isOptional: optional === true,
  };
}

const NO_DEPS: readonly string[] = Object.freeze([]);
const NOTHING: ReadonlySet<string> = new Set();

function readDeps(
  deps: Json,
  complain: (key: string, message: string, hint?: string) => void,
): readonly string[] {
  if (!Array.isArray(deps)) {
    complain('deps', '"deps" must be a list of ids', 'Leave it out for a node that waits for none.');
    return NO_DEPS;
  }
  const list = deps as readonly Json[];
  list.forEach((dep, place) => {
    if (typeof dep !== 'string') complain(`deps/${place}`, 'an id in "deps" must be a string');
  });
  return list.every((dep) => typeof dep === 'string') ? list : list.filter((dep) => typeof dep === 'string');
}

function hasOnly(record: JsonObject, keys: readonly string[]): boolean {
  for (const key of Object.keys(record)) if (!keys.includes(key)) return false;
  return true;
}

/** Reports unknown keys; returns those that were meant by them, so that one slip is not reported as two. */
function checkKeys(
  record: JsonObject,
  keys: readonly string[],
  pointer: string,
  owner: string,
  problems: ProblemList,
  suggestions: Suggestions,
  node?: string,
): ReadonlySet<string> {
  const meant = new Set<string>();
  for (const key of Object.keys(record)) {
    if (keys.includes(key)) continue;
    const other = OTHER_NAMES.get(key.toLowerCase().replaceAll(/[^a-z]/g, ''));
    const hint =
      other !== undefined && keys.includes(other)
        ? `Did you mean "${other}"?`
        : suggestions.suggest(key, new Set(keys));
    const name = keys.find((known) => hint === `Did you mean "${known}"?`);
    if (name !== undefined) meant.add(name);
    problems.addMember('invalid_shape', pointer, key, `${owner} has no "${key}"`, hint, node);
  }
  return meant;
}
