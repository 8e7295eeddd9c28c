/* What a plan reaches: tools, hosts and the like that it names, irreversible calls. A replan that reaches further asks anew. */
import type { Plan, PlanNode } from '../contracts/plan.ts';
import { hostOf } from '../contracts/policy/permitted-host.ts';
import { namedTargets } from '../contracts/policy/judge-arguments.ts';
import type { ArgumentKind, ToolSpec } from '../contracts/tool.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';

/** What the plans of a run may reach so far. */
export interface PlanReach {
  readonly tools: Set<string>;
  /** Hosts, commands, code and recipients that stand in arguments, each with its kind before it. */
  readonly targets: Set<string>;
  /** Irreversible calls: canonical JSON of tool, arguments and list. */
  readonly irreversible: Set<string>;
  /** What its nodes come to is no widening. */
  first: Plan | null;
}

/** What a plan adds to a reach; ids are those of nodes whose irreversible calls are new. */
export interface Widening {
  readonly tools: readonly string[];
  readonly targets: readonly string[];
  readonly irreversible: readonly string[];
}

/** A reach that holds nothing. */
export function createReach(): PlanReach {
  return { tools: new Set(), targets: new Set(), irreversible: new Set(), first: null };
}

/** Adds what an accepted plan reaches; of the first one also what its references come to. */
export function extendReach(reach: PlanReach, plan: Plan, tools: ReadonlyMap<string, ToolSpec>): void {
  reach.first ??= plan;
  for (const node of plan.nodes) {
    reach.tools.add(node.tool);
    for (const target of targetsOf(node, tools)) reach.targets.add(target);
    if (tools.get(node.tool)?.effect === 'irreversible') reach.irreversible.add(callOf(node));
  }
}

/** What a plan adds to a reach; null where it stays within. */
export function findWidening(
  reach: PlanReach,
  plan: Plan,
  tools: ReadonlyMap<string, ToolSpec>,
): Widening | null {
  const added = { tools: new Set<string>(), targets: new Set<string>(), irreversible: new Set<string>() };
  for (const node of plan.nodes) {
    if (!reach.tools.has(node.tool)) added.tools.add(node.tool);
    for (const target of targetsOf(node, tools)) if (!reach.targets.has(target)) added.targets.add(target);
    const isNew = tools.get(node.tool)?.effect === 'irreversible' && !reach.irreversible.has(callOf(node));
    if (isNew) added.irreversible.add(node.id);
  }
  if (added.tools.size + added.targets.size + added.irreversible.size === 0) return null;
  return { tools: [...added.tools], targets: [...added.targets], irreversible: [...added.irreversible] };
}

/** What the next call of a node reaches that is in no plan of a reach, with the arguments that it stands in. */
export function targetsBeyond(
  { reach, nodes }: { readonly reach: PlanReach; readonly nodes: ReadonlyMap<string, PlannedNode> },
  node: PlannedNode & { readonly tool: ToolSpec },
  args: Json,
): { readonly argument: string; readonly target: string }[] {
  const beyond = namedTargets(node.tool, args, 'resolved').flatMap(({ argument, kind, text }) => {
    const target = targetOf(kind, text);
    return target === null || reach.targets.has(target) ? [] : [{ argument, target }];
  });
  return beyond.length === 0 || isAsFirst(reach, nodes, node.plan) ? [] : beyond;
}

interface PlannedNode {
  readonly plan: PlanNode;
}

/** True for a node that stands so in the first plan, as does all that its arguments can come from. */
function isAsFirst({ first }: PlanReach, nodes: ReadonlyMap<string, PlannedNode>, node: PlanNode): boolean {
  const known = new Map(first?.nodes.map((each) => [each.id, each]));
  const seen = new Set<string>();
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    const before = known.get(next.id);
    if (before === undefined || callOf(before) !== callOf(next)) return false;
    for (const id of next.deps) {
      const dependency = nodes.get(id)?.plan;
      if (dependency === undefined) return false;
      open.push(dependency);
    }
  }
  return true;
}

function targetsOf(node: PlanNode, tools: ReadonlyMap<string, ToolSpec>): string[] {
  const tool = tools.get(node.tool);
  if (tool?.argumentKinds === undefined) return [];
  return namedTargets(tool, node.args).flatMap(({ kind, text }) => targetOf(kind, text) ?? []);
}

/** Null for a path: where a file lies inside of the workspace is for policy.paths to say. */
function targetOf(kind: ArgumentKind, text: string): string | null {
  if (kind === 'path') return null;
  return kind === 'url' || kind === 'host' ? `host ${hostOf(text) ?? text}` : `${kind} ${text}`;
}

function callOf({ tool, args, foreach }: PlanNode): string {
  return canonicalJson({ tool, args, foreach: (foreach as Json | undefined) ?? null });
}
