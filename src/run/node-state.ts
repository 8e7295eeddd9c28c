import type { Failure } from '../contracts/failure.ts';
import type { HookedOutcome } from '../contracts/hooks.ts';
import type { AskRequest, ModelAnswer } from '../contracts/model.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { hasReferences } from '../dag/references.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/** What a node is doing, or how it ended. `expanded` is a foreach node whose items run. */
export type NodeStatus =
  | 'pending'
  | 'ready'
  | 'running'
  | 'failing'
  | 'retrying'
  | 'repairing'
  | 'hooking'
  | 'waiting'
  | 'expanded'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'refused'
  | 'cancelled'
  | 'superseded';

/** One node of a run, or one item of a foreach node. Owned and updated in place by the fold. */
export interface NodeState {
  readonly id: string;
  /** Place in the plan; items of a foreach node share that of their node. */
  readonly index: number;
  readonly plan: PlanNode;
  /** As the catalogue has it. */
  tool: ToolSpec;
  /** The arguments of the plan refer to something. */
  readonly refers: boolean;
  dependents: readonly NodeState[];
  /** The foreach node that this is an item of, and which. */
  readonly parent: NodeState | null;
  readonly itemIndex: number;
  readonly item: Json | undefined;
  /** Larger runs first; ties in plan order. */
  readonly priority: number;
  status: NodeStatus;
  /** Attempts made, over replans too. */
  attempt: number;
  /** Attempts made when this plan took the node up. */
  attemptsBefore: number;
  /** Dependencies that are not settled yet. */
  unsettled: number;
  /** Items of a foreach node that have not ended; the items themselves. */
  openItems: number;
  items: NodeState[] | null;
  /** Sequence that must be durable before the node starts. */
  after: number;
  /** Time from which a retry may start. */
  dueAt: number;
  value: Json | undefined;
  /** SHA-256 of the value, once somebody asked for it; see `digestOf`. */
  digest: string;
  failure: Failure | null;
  draw: number;
  /** Arguments that took the place of the plan's. */
  amendedArgs: JsonObject | null;
  /** Who wrote them; empty where nobody did. */
  amendedBy: '' | 'repair' | 'revision' | 'person' | 'hook';
  /** Nodes of the open world that its result comes from, once somebody asked; see `taintOfArgument`. */
  taintedBy: readonly string[] | null;
  repairs: number;
  /** Hash of the arguments of the last attempt. */
  argsHash: string;
  /** Asks made by the last attempt. */
  asks: number;
  /** What the critic said of the result before. */
  feedback: readonly string[] | null;
  /** Answers that the attempt under way has had, by key, for the case that it has to run again. */
  answers: Map<string, RecordedAnswer> | null;
  /** Whose work it is where an agent does it: a delegated one's, or one's in the place of a failed tool. */
  agent: 'delegate' | 'code' | null;
  /** What that agent wrote up where it did not finish; null where it did, or wrote nothing. */
  leftover: string | null;
  /** Hash of the arguments that a person approved. */
  approvedArgs: string;
  /** Null where hooks were not asked of it. */
  hooks: NodeHooks | null;
}

/** How far hooks have been asked about a node that no code outside does. */
export interface NodeHooks {
  stage: 'before' | 'passed' | 'after' | 'heard';
  /** By this process. */
  isAsked: boolean;
  /** What a person said that they are asked about; null where it is the work of an agent. */
  outcome: HookedOutcome | null;
  /** What they put in the place of the result. */
  value: Json | undefined;
}

/** A question of a tool and the answer that was recorded for it. */
export interface RecordedAnswer {
  readonly role: string;
  readonly request: AskRequest;
  readonly answer: ModelAnswer;
}

/** What nobody depends on shares one empty list. */
export const NO_NODES: readonly NodeState[] = [];

/** A node before it has run. */
export function createNode(
  plan: PlanNode,
  tool: ToolSpec,
  place: {
    index: number;
    priority: number;
    parent?: NodeState;
    itemIndex?: number;
    item?: Json;
    attempts?: number;
    after: number;
  },
): NodeState {
  const itemIndex = place.itemIndex ?? -1;
  const attempts = place.attempts ?? 0;
  return {
    id: itemIndex < 0 ? plan.id : `${plan.id}[${itemIndex}]`,
    index: place.index,
    plan,
    tool,
    refers: place.parent?.refers ?? hasReferences(plan.args),
    dependents: NO_NODES,
    parent: place.parent ?? null,
    itemIndex,
    item: place.item,
    priority: place.priority,
    status: 'pending',
    attempt: attempts,
    attemptsBefore: attempts,
    unsettled: 0,
    openItems: 0,
    items: null,
    after: place.after,
    dueAt: 0,
    value: undefined,
    digest: '',
    failure: null,
    draw: 0,
    amendedArgs: null,
    amendedBy: '',
    taintedBy: null,
    repairs: 0,
    argsHash: '',
    asks: 0,
    feedback: null,
    answers: null,
    agent: null,
    leftover: null,
    approvedArgs: '',
    hooks: null,
  };
}

/** SHA-256 of a node's result, computed when it is first asked for; empty where there is none. */
export function digestOf(node: NodeState | undefined): string {
  if (node?.value === undefined) return '';
  if (node.digest === '') node.digest = hashJson(node.value);
  return node.digest;
}

/** Puts a node that ended without a result back to where it had not run; its attempts stay counted. */
export function resetNode(node: NodeState): void {
  node.status = 'pending';
  node.failure = null;
  node.attemptsBefore = node.attempt;
  node.repairs = 0;
  node.feedback = null;
  node.amendedArgs = null;
  node.amendedBy = '';
  node.agent = null;
  node.leftover = null;
  node.hooks = null;
}

/** True for a node that will not run again in this plan. */
export function hasEnded(node: NodeState): boolean {
  switch (node.status) {
    case 'done':
    case 'failed':
    case 'skipped':
    case 'refused':
    case 'cancelled':
    case 'superseded':
      return true;
    case 'pending':
    case 'ready':
    case 'running':
    case 'failing':
    case 'retrying':
    case 'repairing':
    case 'hooking':
    case 'waiting':
    case 'expanded':
      return false;
  }
}

/** True for a node that ended otherwise than done, but whose dependents may go on with null. */
export function isOptional(node: NodeState): boolean {
  return node.plan.optional === true;
}

/** True where a call whose outcome is unknown may simply be made again. */
export function isRepeatable(tool: ToolSpec): boolean {
  return tool.effect === 'read' || (tool.effect === 'write' && tool.idempotent === true);
}
