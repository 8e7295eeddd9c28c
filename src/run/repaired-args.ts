import type { ModelAnswer } from '../contracts/model.ts';
import { hasGuards } from '../contracts/policy.ts';
import { schemaIssues } from '../contracts/schema.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { mergeRepair } from '../worker/merge-repair.ts';
import { interpretRepairAnswer } from '../worker/repair.ts';
import { resolveNodeArgs } from './node-args.ts';
import type { NodeState } from './node-state.ts';
import type { RunState } from './state.ts';
import { taintOfArgument } from './taint.ts';

/**
 * Whether a model may repair the arguments of a call. What a tool of the open world says of them, or of what came from there,
 * would be read by the model that changes them: only what the schema refuses is repaired then.
 */
export function mayRepair(state: RunState, node: NodeState): boolean {
  if (!hasGuards(state.task.policy)) return true;
  const resolved = resolveNodeArgs(state, node);
  const args = resolved.ok ? resolved.args : node.plan.args;
  if (schemaIssues(node.tool.input, args).length > 0) return true;
  if (node.tool.openWorld === true) return false;
  return (
    isJsonObject(args) && !Object.keys(args).some((name) => taintOfArgument(state, node, name).length > 0)
  );
}

/** The arguments that a repair leaves the call with; null where they are not better than before. */
export function repairedArgs(state: RunState, node: NodeState, answer: ModelAnswer): JsonObject | null {
  const repaired = interpretRepairAnswer(answer, node.tool);
  if (!repaired.ok) return null;
  const resolved = resolveNodeArgs(state, node);
  if (!hasGuards(state.task.policy) || !resolved.ok || !isJsonObject(resolved.args)) return repaired.args;
  const issues = schemaIssues(node.tool.input, resolved.args);
  if (issues.length === 0) return repaired.args;
  const merged = mergeRepair(resolved.args, repaired.args, issues);
  return schemaIssues(node.tool.input, merged).length === 0 ? merged : null;
}
