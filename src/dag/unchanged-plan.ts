import type { Plan, PlanNode } from '../contracts/plan.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/hash.ts';
import { findDependencies, topologicalOrder } from './adjacency.ts';
import { argsDigest } from './references.ts';

/** True where two plans have the same work left to do, whatever they call their nodes and in whatever order. */
export function hasSameRest(a: Plan, b: Plan, doneIds: { has(id: string): boolean }): boolean {
  return describeRest(a, doneIds) === describeRest(b, doneIds);
}

/** The nodes that are not done, each by its calls and those of all that it depends on; names of done nodes count. */
function describeRest({ nodes, output }: Plan, doneIds: { has(id: string): boolean }): string {
  const rest = nodes.filter(({ id }) => !doneIds.has(id));
  const digests = new Map<string, string>();
  const digestOf = (id: string): string => digests.get(id) ?? `done ${id}`;
  for (const index of topologicalOrder(findDependencies(rest))) {
    const node = rest[index];
    if (node !== undefined) digests.set(node.id, digestNode(node, digestOf));
  }
  return canonicalJson([[...digests.values()].sort(), digestOf(output)]);
}

function digestNode(
  { tool, args, deps, foreach, optional }: PlanNode,
  digestOf: (id: string) => string,
): string {
  return sha256(
    canonicalJson([
      tool,
      argsDigest(args, digestOf, 'item'),
      deps.map(digestOf).sort(),
      foreach === undefined ? null : [digestOf(foreach.$ref), foreach.path ?? ''],
      optional ?? false,
    ]),
  );
}
