/* What a plan reaches: tools, hosts and the like that it names, irreversible calls. A replan that reaches further asks anew. */
import type { Plan, PlanNode } from '../contracts/plan.ts';
import { hostOf } from '../contracts/policy/permitted-host.ts';
import { namedTargets } from '../contracts/policy/judge-arguments.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';

/** What the plans of a run may reach so far. */
export interface PlanReach {
  readonly tools: Set<string>;
  /** Hosts, commands, code and recipients that stand in arguments, each with its kind before it. */
  readonly targets: Set<string>;
  /** Irreversible calls: canonical JSON of tool, arguments and list. */
  readonly irreversible: Set<string>;
}

/** What a plan adds to a reach; ids are those of nodes whose irreversible calls are new. */
export interface Widening {
  readonly tools: readonly string[];
  readonly targets: readonly string[];
  readonly irreversible: readonly string[];
}

/** A reach that holds nothing. */
export function createReach(): PlanReach {
  return { tools: new Set(), targets: new Set(), irreversible: new Set() };
}

/** Adds what an accepted plan reaches. */
export function extendReach(reach: PlanReach, plan: Plan, tools: ReadonlyMap<string, ToolSpec>): void {
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

function targetsOf(node: PlanNode, tools: ReadonlyMap<string, ToolSpec>): string[] {
  const tool = tools.get(node.tool);
  if (tool?.argumentKinds === undefined) return [];
  return namedTargets(tool, node.args).flatMap(({ kind, text }) => {
    // Where a file lies inside of the workspace is for policy.paths to say.
    if (kind === 'path') return [];
    return [kind === 'url' || kind === 'host' ? `host ${hostOf(text) ?? text}` : `${kind} ${text}`];
  });
}

function callOf({ tool, args, foreach }: PlanNode): string {
  return canonicalJson({ tool, args, foreach: (foreach as Json | undefined) ?? null });
}
