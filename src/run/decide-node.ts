import { available } from '../budget/ledger.ts';
import type { EventOf } from '../flight/events.ts';
import { schemaIssues } from '../contracts/schema.ts';
import type { Failure } from '../contracts/failure.ts';
import { answerSchema, askedSchemaFault } from '../contracts/asked-answer.ts';
import { isMarked } from '../contracts/policy/call-marks.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { askForAnswer } from './ask-for-answer.ts';
import { backoffMs, isOutOfTime, makeCall, outOfTime } from './make-call.ts';
import { isDelegated, startAgentNode } from './decide-agent-node.ts';
import { askHooksBefore } from './decide-hooks.ts';
import { attemptKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { foreachItems, joinedValue } from './foreach.ts';
import { guardCall } from './guard-call.ts';
import { mayCall, wallLeftMs } from './modes.ts';
import { nodeArgsDigest, resolveNodeArgs } from './node-args.ts';
import { digestOf, isOptional, isRepeatable, type NodeState } from './node-state.ts';
import { mayRepair, repairedArgs } from './repaired-args.ts';
import type { RunState } from './state.ts';
import { wantRepair } from './wanted-calls.ts';

/** A call that changes the world waits for its own start to be durable. */
const OWN_EVENT = Infinity;

/** The start of a node that may start, or what keeps it from starting; null where it waits for budget. */
export function decideStart(state: RunState, node: NodeState): Decision | null {
  if (!mayCall(state)) {
    return refuse(node, 'budget', state.stop?.reason ?? 'the budget is used up');
  }
  if (isOptional(node) && node.attempt === node.attemptsBefore && state.mode !== 'full') {
    return { event: { type: 'node.skipped', node: node.id, reason: 'pressure' } };
  }
  if (node.plan.foreach !== undefined && node.parent === null) return decideExpansion(state, node);
  const resolved = resolveNodeArgs(state, node);
  if (!resolved.ok) return failNode(node, resolved.failure);
  const { args } = resolved;
  const issues = schemaIssues(node.tool.input, args);
  if (issues.length > 0) {
    return decideMisuse(state, node, {
      code: 'tool_misuse',
      class: 'TOOL_MISUSE',
      message: `arguments break the schema of ${node.tool.name}: ${issues.map(({ pointer, message }) => `${pointer || '(root)'}: ${message}`).join('; ')}`,
      details: { issues: issues as unknown as Json },
    });
  }
  return decideCallOfTool(state, node, args);
}

function decideCallOfTool(state: RunState, node: NodeState, args: Json): Decision | null {
  const argsHash = nodeArgsDigest(state, node);
  const { tool } = node;
  if (tool.interactive === true) return decideQuestion(state, node, args, argsHash);
  const asked = isDelegated(node) ? askHooksBefore(state, node) : null;
  if (asked !== null) return asked;
  const judged = guardCall(state, node, args);
  if (judged.kind === 'refused') return refuse(node, 'policy', judged.reason);
  const { marks } = judged;
  if ((needsApproval(state, tool) || isMarked(marks)) && node.approvedArgs !== argsHash) {
    return {
      event: {
        type: 'approval.requested',
        node: node.id,
        question: 'consent',
        tool: tool.name,
        args,
        argsHash,
        plan: state.planHash,
        ...marks,
      },
    };
  }
  const equal =
    tool.cache === true && node.feedback === null ? state.cached.get(`${tool.name}/${argsHash}`) : undefined;
  if (equal !== undefined && tool.effect === 'read') {
    return { event: { type: 'node.reused', node: node.id, from: equal.id, digest: digestOf(equal) } };
  }
  if (isDelegated(node)) return startAgentNode(node, argsHash, 'delegate');
  if (available(state.ledger, 'toolCalls') < 1) {
    return state.running.size > 0 ? null : refuse(node, 'budget', 'toolCalls: the next call does not fit');
  }
  const attempt = node.attempt + 1;
  const limitMs = tool.timeoutMs ?? state.task.limits.nodeTimeoutMs;
  const timeoutMs = Math.min(limitMs, Math.ceil(wallLeftMs(state)));
  const event: EventOf<'node.started'> = {
    seq: -1,
    at: NaN,
    type: 'node.started',
    node: node.id,
    attempt,
    args: argsHash,
    timeoutMs,
  };
  const isRead = tool.effect === 'read';
  return {
    event,
    effect: {
      kind: 'callTool',
      node: node.id,
      attempt,
      tool: tool.name,
      args,
      timeoutMs,
      keepsLateResult: !isRead,
      isSameCall: isSameCall(node, argsHash),
      isAmended: node.amendedBy === 'hook',
    },
    after: isRead ? node.after : OWN_EVENT,
  };
}

/** A hook is asked about each call once: not about one that is made again. */
function isSameCall(node: NodeState, argsHash: string): boolean {
  return node.attempt > node.attemptsBefore && node.argsHash === argsHash;
}

/** A question that is answered by a person: no call is made, and no slot is held. */
function decideQuestion(state: RunState, node: NodeState, args: Json, argsHash: string): Decision | null {
  const fault = askedSchemaFault(answerSchema(args, node.tool.output));
  if (fault === null) return askHooksBefore(state, node) ?? askForAnswer(state, node, args, argsHash);
  const message = `no answer can be asked for by this schema: ${fault}`;
  return decideMisuse(state, node, { code: 'tool_misuse', class: 'TOOL_MISUSE', message });
}

function needsApproval(state: RunState, tool: ToolSpec): boolean {
  // It may have been called in the run that this one was forked off, whatever was decided since.
  if (state.inherited !== null && tool.effect === 'irreversible') return true;
  switch (state.task.policy.approve) {
    case 'none':
      return false;
    case 'irreversible':
      return tool.effect === 'irreversible';
    case 'write':
      return tool.effect !== 'read';
    case 'all':
      return true;
  }
}

function decideExpansion(state: RunState, node: NodeState): Decision {
  const items = foreachItems(state, node);
  const { foreachItems: limit } = state.task.limits;
  if (items === undefined) {
    return failNode(node, {
      code: 'missing_info',
      class: 'MISSING_INFO',
      message: `foreach: there is no list at ${node.plan.foreach?.path ?? '(root)'} of ${node.plan.foreach?.$ref ?? ''}`,
      details: { pointer: node.plan.foreach?.path ?? '' },
    });
  }
  if (items.length > limit) {
    return failNode(node, {
      code: 'budget_refused',
      class: 'PERMANENT',
      message: `foreach: ${items.length} items, limits.foreachItems is ${limit}`,
      details: { items: items.length, limit },
    });
  }
  return { event: { type: 'node.expanded', node: node.id, items: items.length } };
}

/** The question to a person about a call whose outcome is unknown. */
export function askWhatBecame(state: RunState, node: NodeState): Decision {
  const resolved = resolveNodeArgs(state, node);
  return {
    event: {
      type: 'approval.requested',
      node: node.id,
      question: 'in_doubt',
      tool: node.tool.name,
      args: resolved.ok ? resolved.args : node.plan.args,
      argsHash: node.argsHash,
      plan: state.planHash,
    },
  };
}

/** What follows from a failed attempt: a retry, a repair, or the end of the node. */
export function decideFailure(state: RunState, node: NodeState): Decision | null {
  const failure = node.failure ?? {
    code: 'internal',
    class: 'PERMANENT',
    message: 'failed without a failure',
  };
  switch (failure.class) {
    case 'TRANSIENT':
      return decideRetry(state, node, failure);
    case 'TOOL_MISUSE':
      return decideMisuse(state, node, failure);
    case 'POLICY':
      return refuse(node, 'policy', failure.message);
    case 'MISSING_INFO':
    case 'PERMANENT':
      if (failure.code === 'budget_refused') return refuse(node, 'budget', failure.message);
      return failNode(node, failure);
  }
}

function decideRetry(state: RunState, node: NodeState, failure: Failure): Decision {
  const { limits } = state.task;
  const isSafe = isRepeatable(node.tool);
  if (failure.code === 'timeout') {
    // It did not return in time, which says nothing of what it did.
    if (!isSafe) return askWhatBecame(state, node);
    if (wallLeftMs(state) === 0) {
      return refuse(node, 'budget', 'wallSeconds: the time ran out during the call');
    }
  }
  const attempts = node.attempt - node.attemptsBefore;
  if (!isSafe || attempts >= limits.attempts || !mayCall(state)) return failNode(node, failure);
  const delayMs = backoffMs(failure, attempts, node.draw, limits);
  if (isOutOfTime(state, delayMs)) return failNode(node, outOfTime(failure, delayMs));
  return { event: { type: 'retry.scheduled', key: attemptKey(node.id, node.attempt), delayMs } };
}

/** One repair where it may still be made; null where it waits for budget. */
function decideMisuse(state: RunState, node: NodeState, failure: Failure): Decision | null {
  const isRepairable = node.repairs === 0 && node.tool.effect !== 'irreversible' && mayCall(state);
  return isRepairable && mayRepair(state, node)
    ? makeCall(state, wantRepair(state, node))
    : failNode(node, failure);
}

/** What the answer to a repair leads to; null while it is awaited. */
export function decideRepaired(state: RunState): Decision | null {
  for (const node of state.repairing) {
    const wanted = wantRepair(state, node);
    const call = state.calls.get(wanted.id);
    if (call === undefined) {
      // It waits for what is recalled for it, or for budget.
      const made = makeCall(state, wanted);
      if (made !== null) return made;
      continue;
    }
    if (call.status === 'refused') return failNode(node, failureOf(node));
    if (call.status !== 'answered' || call.answer === null) continue;
    const args = repairedArgs(state, node, call.answer);
    if (args === null) return failNode(node, failureOf(node));
    return {
      event: {
        type: 'node.amended',
        node: node.id,
        by: 'repair',
        args,
        reasons: [failureOf(node).message],
      },
    };
  }
  return null;
}

function failureOf(node: NodeState): Failure {
  return (
    node.failure ?? {
      code: 'tool_misuse',
      class: 'TOOL_MISUSE',
      message: 'the arguments break the schema of the tool',
    }
  );
}

/** The end of a foreach node whose items have all ended. */
export function decideJoin(node: NodeState): Decision {
  const failed = isOptional(node) ? undefined : node.items?.find((item) => item.status !== 'done');
  if (failed !== undefined) {
    const { failure } = failed;
    return failNode(node, {
      ...(failure ?? { code: 'tool_failed', class: 'PERMANENT' }),
      message: `item ${failed.id} ${failed.status}${failure === null ? '' : `: ${failure.message}`}`,
    });
  }
  return { event: { type: 'node.joined', node: node.id, digest: hashJson(joinedValue(node)) } };
}

function failNode(node: NodeState, failure: Failure): Decision {
  return { event: { type: 'node.failed', node: node.id, failure } };
}

function refuse(node: NodeState, by: 'budget' | 'policy', reason: string): Decision {
  return { event: { type: 'node.refused', node: node.id, by, reason } };
}
