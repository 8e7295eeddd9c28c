import type { AgentEnvironment } from '../agent/agent-decision.ts';
import type { AgentState } from '../agent/agent-state.ts';
import { thresholdEngine } from '../agent/context-engine.ts';
import { estimateInputTokens } from '../budget/estimate-tokens.ts';
import { available, findShortage } from '../budget/ledger.ts';
import { costMicroUsd } from '../budget/prices.ts';
import type { Reservation } from '../contracts/budget.ts';
import { UNNAMED_WINDOW_TOKENS } from '../contracts/agent-task.ts';
import { type CallJudgement, judgeCall } from '../contracts/policy/call-marks.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { Json } from '../kernel/json.ts';
import { formOf } from './guard-call.ts';
import { chainFor } from './chains.ts';
import { nodeOfAgent, slotsInUse } from './crew-state.ts';
import { backoffMs } from './make-call.ts';
import { mayCall, wallLeftMs } from './modes.ts';
import type { RunState } from './state.ts';
import { taintOfArgument } from './taint.ts';

/** What a write-up takes: its question, whose data is bounded to that, and a short answer. */
const WRITE_UP_INPUT = 3000;
const WRITE_UP_OUTPUT = 1024;

/** What the decisions of agents need to know of the run. */
export function environmentOf(state: RunState): AgentEnvironment {
  const { task, ledger } = state;
  const { limits } = task;
  return {
    now: state.now,
    mayCall: mayCall(state),
    toolCall:
      available(ledger, 'toolCalls') >= 1 ? 'fits' : ledger.reserved.toolCalls > 0 ? 'waits' : 'refused',
    freeSlots: task.concurrency - slotsInUse(state),
    windowTokens: windowTokens(state),
    maxOutputTokens: limits.maxOutputTokens,
    context: thresholdEngine,
    estimateTokens: ({ messages, tools }) =>
      estimateInputTokens({ messages, ...(tools === undefined ? {} : { tools }) }),
    timeoutMs: (tool) => Math.min(tool.timeoutMs ?? limits.nodeTimeoutMs, Math.ceil(wallLeftMs(state))),
    backoffMs: (failure, attempt, draw) => backoffMs(failure, attempt, draw, limits),
    hasHooks: state.hooks !== undefined,
    judge: (agent, tool, args) => judgeAgentCall(state, agent, tool, args),
    reserveWriteUp: () => reserveWriteUp(state),
  };
}

/** What policy says of a call; whatever an agent writes may hold what it was told before, be it by a tool or its task. */
function judgeAgentCall(state: RunState, agent: AgentState, tool: ToolSpec, args: Json): CallJudgement {
  const node = state.nodes.get(nodeOfAgent(state, agent.key));
  const taintOf = (): readonly string[] => [
    ...agent.openWorld,
    ...(node?.agent === 'delegate' ? taintOfArgument(state, node, 'context') : []),
    ...(node?.agent === 'delegate' ? taintOfArgument(state, node, 'task') : []),
  ];
  return judgeCall({ tool, args, ...formOf(state), workspace: state.workspace, taintOf }, state.task.policy);
}

/** The context window of the model that thinks for agents in the mode in force. */
function windowTokens(state: RunState): number {
  const section = state.task.agent;
  const model = chainFor(state, 'agent')[0]?.model ?? '';
  return section?.windows[model] ?? section?.windowTokens ?? UNNAMED_WINDOW_TOKENS;
}

/** What the write-up of an agent takes; null where it does not fit what is left. */
export function reserveWriteUp(state: RunState): Reservation | null {
  const outputTokens = Math.min(WRITE_UP_OUTPUT, state.task.limits.maxOutputTokens);
  const price = state.task.prices[chainFor(state, 'finalizer')[0]?.model ?? ''];
  const usage = { inputTokens: WRITE_UP_INPUT, outputTokens };
  const wanted: Reservation = {
    llmCalls: 1,
    tokens: WRITE_UP_INPUT + outputTokens,
    ...(price === undefined ? {} : { costMicroUsd: costMicroUsd(usage, price) }),
  };
  return findShortage(state.ledger, wanted) === null ? wanted : null;
}
