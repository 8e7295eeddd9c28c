import type { Plan, PlanEstimate, PlanNode, PlanProblem, Reference } from '../contracts/plan.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';
import { positionsOf, topologicalOrder } from './adjacency.ts';
import { ArgsCheck } from './check-args.ts';
import { checkPolicy, type PlanPolicy } from './check-policy.ts';
import { type CheckContext, checkForeach } from './check-references.ts';
import { findCycles } from './cycles.ts';
import { estimatePlan } from './estimate.ts';
import { type DraftNode, readPlanShape } from './plan-shape.ts';
import { type DoneNode, type Target, targetOf } from './plan-target.ts';
import { ProblemList } from './problem-list.ts';
import { Suggestions } from './suggest.ts';
import { hasSameRest } from './unchanged-plan.ts';
import { findUnused } from './unused-nodes.ts';

/** What a plan is validated against. */
export interface ValidationContext extends PlanPolicy {
  /** The whole catalogue; withheld tools may stand in it. */
  readonly tools: ReadonlyMap<string, ToolSpec>;
  readonly withheld: ReadonlySet<string>;
  readonly limits: { readonly maxNodes: number; readonly foreachItems: number };
  /** Calls that the budget still allows; without it any number. */
  readonly remainingToolCalls?: number;
  /** On a replan: nodes that are done. A plan may refer to them without restating them, or restate them as they are. */
  readonly done?: ReadonlyMap<string, DoneNode>;
  /** On a replan: the plan that failed, from which this one must differ in what is left to do. */
  readonly previous?: Plan;
}

/** An accepted plan with its warnings and estimate, or every problem that it has. */
export type Validation =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly warnings: readonly PlanProblem[];
      /** Of the nodes that are not done. */
      readonly estimate: PlanEstimate;
    }
  | {
      readonly ok: false;
      readonly problems: readonly PlanProblem[];
      readonly warnings: readonly PlanProblem[];
    };

const NOTHING_DONE: ReadonlyMap<string, DoneNode> = new Map();
/** Problems that leave it open which nodes are needed. */
const UNCLEAR_EDGES = [
  'invalid_shape',
  'missing_dependency',
  'bad_reference',
  'missing_output',
  'duplicate_id',
] as const;

/** Checks a plan as a planner wrote it and reports every problem at once; never throws, whatever the value. */
export function validatePlan(raw: Json, context: ValidationContext): Validation {
  const list = new ProblemList();
  const suggestions = new Suggestions();
  const shape = readPlanShape(raw, list, suggestions);
  if (shape === null) return { ok: false, problems: list.problems, warnings: [] };
  const { done = NOTHING_DONE, limits, withheld } = context;
  const all = shape.nodes;
  const restated = new Set(all.filter((draft) => isRestated(draft, done)));
  const drafts = restated.size === 0 ? all : all.filter((draft) => !restated.has(draft));

  if (drafts.length > limits.maxNodes) {
    list.add('too_many_nodes', '/nodes', `${drafts.length} nodes, and ${limits.maxNodes} are allowed`);
  }
  const positions = nameNodes(drafts, done, list);
  const targets = findTargets(drafts, positions, context, done);
  const usableTools = new Set([...context.tools.keys()].filter((name) => !withheld.has(name)));
  const check: CheckContext = {
    problems: list,
    suggestions,
    targets,
    usableTools,
    foreachItems: limits.foreachItems,
  };
  const nodes = checkNodes(drafts, check, context);
  const dependencies = nodes.map(({ deps }) => positionsOf(deps, positions));
  const order = topologicalOrder(dependencies);
  if (order.length < nodes.length) reportCycles(findCycles(dependencies), drafts, list);

  const { output } = shape;
  if (output !== null && !targets.has(output)) {
    const hint = suggestions.suggest(output, targets);
    list.add(
      'missing_output',
      '/output',
      `no node has the id "${output}"`,
      hint ?? 'Name the node whose result is the answer.',
    );
  }
  const estimate = estimatePlan(nodes, dependencies, order, context);
  checkBudget(nodes, context, list);
  const warnings =
    output === null || list.has(...UNCLEAR_EDGES)
      ? []
      : findUnused(drafts, dependencies, positions.get(output), output);
  const plan: Plan = { nodes: joinRestated(all, restated, nodes, done), output: output ?? '' };
  if (
    list.problems.length === 0 &&
    context.previous !== undefined &&
    hasSameRest(plan, context.previous, done)
  ) {
    list.add('unchanged_plan', '/nodes', 'this is the plan that failed', 'Reach the goal another way.');
  }
  if (list.problems.length > 0) return { ok: false, problems: list.problems, warnings };
  return { ok: true, plan, warnings, estimate };
}

/** True for a done node that the new plan repeats as it is. */
function isRestated({ id, tool, args, foreach }: DraftNode, done: ReadonlyMap<string, DoneNode>): boolean {
  const node = id === null ? undefined : done.get(id)?.node;
  return (
    node !== undefined &&
    tool === node.tool &&
    args !== null &&
    canonicalJson(args) === canonicalJson(node.args) &&
    canonicalJson(foreach ?? null) === canonicalJson((node.foreach as Json | undefined) ?? null)
  );
}

/** The position of each id; an id that is taken already is a problem. */
function nameNodes(
  drafts: readonly DraftNode[],
  done: ReadonlyMap<string, DoneNode>,
  list: ProblemList,
): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const lists = new Set<string>();
  for (const [id, { node }] of done) if (node.foreach !== undefined) lists.add(id);
  for (const { id, foreach } of drafts) if (id !== null && foreach !== undefined) lists.add(id);
  drafts.forEach(({ id, index }, position) => {
    if (id === null) return;
    const complain = (message: string, hint: string): void => {
      list.addAt('duplicate_id', index, id, '/id', message, hint);
    };
    const owner = id.endsWith(']') ? /^(.*)\[(?:0|[1-9]\d*)\]$/s.exec(id)?.[1] : undefined;
    if (done.has(id))
      complain(`"${id}" is done and keeps its result`, 'Leave it out, or give the new node another id.');
    else if (positions.has(id)) complain(`two nodes have the id "${id}"`, 'Give each node an id of its own.');
    else if (owner !== undefined && lists.has(owner)) {
      complain(`"${id}" is what an item of "${owner}" is called`, 'Give the node another id.');
    }
    if (!positions.has(id)) positions.set(id, position);
  });
  return positions;
}

function findTargets(
  drafts: readonly DraftNode[],
  positions: ReadonlyMap<string, number>,
  { tools }: ValidationContext,
  done: ReadonlyMap<string, DoneNode>,
): ReadonlyMap<string, Target> {
  const targets = new Map<string, Target>();
  for (const [id, position] of positions) {
    const draft = drafts[position];
    targets.set(id, targetOf(tools.get(draft?.tool ?? ''), draft?.foreach !== undefined));
  }
  for (const [id, { node, value }] of done) {
    targets.set(id, targetOf(tools.get(node.tool), node.foreach !== undefined, value));
  }
  return targets;
}

function checkNodes(
  drafts: readonly DraftNode[],
  check: CheckContext,
  context: ValidationContext,
): PlanNode[] {
  const first = drafts[0];
  if (first === undefined) return [];
  const argsCheck = new ArgsCheck(check, first);
  return drafts.map((draft) => {
    const tool = checkTool(draft, check, context);
    const mentions = new Set(draft.deps);
    const referenced = new Set<string>();
    const item = checkForeach(check, draft, referenced);
    argsCheck.check(draft, tool, item, referenced);
    checkPolicy(draft, tool, check.problems, context);
    for (const id of referenced) mentions.add(id);
    checkDeps(draft, referenced, check);
    return {
      id: draft.id ?? '',
      tool: draft.tool ?? '',
      args: draft.args ?? {},
      deps: [...mentions],
      ...(draft.foreach === undefined ? {} : { foreach: draft.foreach as unknown as Reference }),
      ...(draft.isOptional ? { optional: true } : {}),
    };
  });
}

function checkTool(
  { tool, index, id }: DraftNode,
  { problems, suggestions, usableTools }: CheckContext,
  { tools, withheld }: ValidationContext,
): ToolSpec | null {
  if (tool === null) return null;
  if (withheld.has(tool)) {
    problems.addAt(
      'withheld_tool',
      index,
      id,
      '/tool',
      `policy keeps "${tool}" from this run`,
      'Plan without it.',
    );
    return null;
  }
  const spec = tools.get(tool);
  if (spec !== undefined) return spec;
  problems.addAt(
    'unknown_tool',
    index,
    id,
    '/tool',
    `there is no tool "${tool}"`,
    suggestions.suggest(tool, usableTools),
  );
  return null;
}

/** Ids in `deps` that no node has, but for those that are already reported as references of the same node. */
function checkDeps(
  { deps, index, id }: DraftNode,
  referenced: ReadonlySet<string>,
  check: CheckContext,
): void {
  const { problems, suggestions, targets } = check;
  const reported = new Set<string>();
  deps.forEach((dep, place) => {
    if (targets.has(dep) || referenced.has(dep) || reported.has(dep)) return;
    reported.add(dep);
    const hint = suggestions.suggest(dep, targets);
    problems.addAt('missing_dependency', index, id, `/deps/${place}`, `no node has the id "${dep}"`, hint);
  });
}

/** Counts every node, those on a cycle too. */
function checkBudget(nodes: readonly PlanNode[], context: ValidationContext, list: ProblemList): void {
  const { limits, remainingToolCalls = Infinity } = context;
  const lists = nodes.filter(({ foreach }) => foreach !== undefined).length;
  const toolCalls = nodes.length - lists + lists * limits.foreachItems;
  if (toolCalls <= remainingToolCalls) return;
  list.add(
    'over_budget',
    '/nodes',
    `it takes up to ${toolCalls} tool calls, and the budget has ${remainingToolCalls} left`,
    lists > 0 ? `A "foreach" counts as ${limits.foreachItems} calls.` : 'Plan fewer calls.',
  );
}

function reportCycles(
  cycles: readonly (readonly number[])[],
  drafts: readonly DraftNode[],
  list: ProblemList,
): void {
  for (const cycle of cycles) {
    const first = drafts[cycle[0] ?? 0];
    if (first === undefined) continue;
    const path = [...cycle, cycle[0] ?? 0].map((position) => drafts[position]?.id ?? '?').join(' → ');
    list.addAt(
      'cycle',
      first.index,
      first.id,
      '',
      `nodes wait for each other: ${path}`,
      'Remove one of these dependencies.',
    );
  }
}

/** The nodes in the order in which they were written, those that are done as they were accepted. */
function joinRestated(
  all: readonly DraftNode[],
  restated: ReadonlySet<DraftNode>,
  nodes: readonly PlanNode[],
  done: ReadonlyMap<string, DoneNode>,
): readonly PlanNode[] {
  if (restated.size === 0) return nodes;
  let next = 0;
  return all.flatMap((draft) => {
    const node = restated.has(draft) ? done.get(draft.id ?? '')?.node : nodes[next++];
    return node === undefined ? [] : [node];
  });
}
