/*
 * Which results came from the open world, and which arguments they went into. It follows from the plan alone: a result is
 * tainted where its tool reads the open world, or where anything that its node waited for is (which takes in what went by way
 * of a file). What a person wrote is not.
 */
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { isChildTool } from '../agent/agent-tools.ts';
import { isForm } from '../dag/reference-form.ts';
import type { NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/** Most sources that are named. */
const MAX_SOURCES = 5;

const CLEAN: readonly string[] = [];

/** The nodes of the open world that an argument of a node's next call came from, five at most; empty where it is clean. */
export function taintOfArgument(state: RunState, node: NodeState, argument: string): readonly string[] {
  if (node.amendedBy === 'person' || !node.refers) return CLEAN;
  // What a model or a hook made of arguments may hold any part of them.
  const value = node.amendedArgs === null ? ownArgument(node.plan.args, argument) : node.plan.args;
  const found = new Set<string>();
  for (const id of referencesIn(value, node))
    for (const source of taintOfResult(state, id)) found.add(source);
  return [...found].slice(0, MAX_SOURCES);
}

function ownArgument(args: JsonObject, argument: string): Json {
  return Object.hasOwn(args, argument) ? (args[argument] as Json) : null;
}

/** Ids of the nodes that a value refers to; an item counts as the list that it is of. */
function referencesIn(value: Json, node: NodeState): Set<string> {
  const ids = new Set<string>();
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (Array.isArray(next)) stack.push(...(next as readonly Json[]));
    else if (isJsonObject(next)) {
      if (!isForm(next)) stack.push(...Object.values(next));
      else if (typeof next['$ref'] === 'string') ids.add(next['$ref']);
      else if (Object.hasOwn(next, '$item') && node.plan.foreach !== undefined)
        ids.add(node.plan.foreach.$ref);
      else if (Object.hasOwn(next, '$text')) stack.push(next['$text'] as Json);
    }
  }
  return ids;
}

/** The nodes of the open world that a result came from; found once per node and kept with it. */
function taintOfResult(state: RunState, id: string): readonly string[] {
  const stack = [id];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const node = state.nodes.get(top);
    if (node === undefined || node.taintedBy !== null) {
      stack.pop();
      continue;
    }
    const open = isOpenWorld(state, node) ? [] : unknownDependencies(state, node);
    if (open.length > 0) {
      stack.push(...open);
      continue;
    }
    stack.pop();
    node.taintedBy = isOpenWorld(state, node) ? [node.id] : joinTaint(state, node);
  }
  return state.nodes.get(id)?.taintedBy ?? CLEAN;
}

function unknownDependencies(state: RunState, node: NodeState): string[] {
  return node.plan.deps.filter((dep) => state.nodes.get(dep)?.taintedBy === null);
}

function joinTaint(state: RunState, node: NodeState): readonly string[] {
  const sources = new Set(node.plan.deps.flatMap((dep) => state.nodes.get(dep)?.taintedBy ?? CLEAN));
  return sources.size === 0 ? CLEAN : [...sources].slice(0, MAX_SOURCES);
}

/** An agent may have read whatever the tools of the run read. */
function isOpenWorld(state: RunState, { tool }: NodeState): boolean {
  if (tool.openWorld === true) return true;
  if (!isChildTool(tool.name)) return false;
  for (const { name, openWorld } of state.tools.values()) {
    if (openWorld === true && !state.withheld.has(name)) return true;
  }
  return false;
}
