import { atPointer, type Json } from '../kernel/json.ts';
import type { NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/** The list that a foreach node runs over, or undefined where the reference does not lead to a list. */
export function foreachItems(state: RunState, node: NodeState): readonly Json[] | undefined {
  const reference = node.plan.foreach;
  if (reference === undefined) return undefined;
  const source = state.nodes.get(reference.$ref)?.value;
  if (source === undefined) return undefined;
  const list = atPointer(source, reference.path ?? '');
  return Array.isArray(list) ? list : undefined;
}

/** Value of a foreach node: the results of its items in order, null for an optional one that ended otherwise. */
export function joinedValue(node: NodeState): Json {
  return (node.items ?? []).map((item) => (item.status === 'done' ? (item.value ?? null) : null));
}
