import type { Failure } from '../contracts/failure.ts';
import { type SchemaIssue, schemaIssues } from '../contracts/schema.ts';
import { argsDigest, resolveArgs } from '../dag/references.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { digestOf, type NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/** The arguments of a node's next call, with the results that it refers to in place. */
export type NodeArgs =
  { readonly ok: true; readonly args: Json } | { readonly ok: false; readonly failure: Failure };

/** The arguments of a node's next call; a pointer that leads nowhere is MISSING_INFO. */
export function resolveNodeArgs(state: RunState, node: NodeState): NodeArgs {
  if (node.amendedArgs !== null) return { ok: true, args: node.amendedArgs };
  if (!node.refers) return { ok: true, args: node.plan.args };
  return resolveArgs(node.plan.args, (id) => state.nodes.get(id)?.value ?? null, node.item);
}

/** Hash of the arguments of a node's next call, in which a referenced result counts by its own digest. */
export function nodeArgsDigest(state: RunState, node: NodeState): string {
  if (node.amendedArgs !== null) return hashJson(node.amendedArgs);
  if (!node.refers) return hashJson(node.plan.args);
  return argsDigest(
    node.plan.args,
    (id) => digestOf(state.nodes.get(id)),
    node.item === undefined ? undefined : hashJson(node.item),
  );
}

/** What a repair is told: the arguments as they were sent, and what is wrong with them. */
export function misuseOf(state: RunState, node: NodeState): { args: Json; issues: readonly SchemaIssue[] } {
  const resolved = resolveNodeArgs(state, node);
  const args = resolved.ok ? resolved.args : node.plan.args;
  const issues = schemaIssues(node.tool.input, args);
  return {
    args,
    issues:
      issues.length > 0 ? issues : [{ pointer: '', message: node.failure?.message ?? 'the tool refused it' }],
  };
}
