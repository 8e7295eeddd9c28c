import { judgeRequest } from '../critic/judge.ts';
import { planRequest } from '../planner/plan-request.ts';
import { askMessages } from '../worker/ask.ts';
import { finalizeRequest } from '../worker/finalize.ts';
import { repairRequest } from '../worker/repair.ts';
import { available } from '../budget/ledger.ts';
import { repairKey, SUMMARY_KEY } from './effect-key.ts';
import { readJudgement } from './judgement.ts';
import type { WantedCall } from './model-request.ts';
import { misuseOf } from './node-args.ts';
import type { NodeState } from './node-state.ts';
import { doneResults, foundResults, missingResults, outputNode, resultsBehind } from './results.ts';
import type { ModelCall, RunState } from './state.ts';
import { wantAgentAgain } from './want-agent-ask.ts';
import { recallForAsk, recallForJudge, recallForPlan, recallForRepair } from './wanted-recalls.ts';

/** The next question to the planner, or to the replanner where the rest of a plan is drawn anew. */
export function wantPlan(state: RunState, id: string, tries = 0): WantedCall {
  const { replan } = state.planning;
  return {
    id,
    tries,
    role: replan === null ? 'planner' : 'replanner',
    node: '',
    recall: recallForPlan(state),
    build: ({ memory }) => planRequest({ ...planContext(state), memory }),
  };
}

function planContext(state: RunState): Parameters<typeof planRequest>[0] {
  const { limits, inputs, planner } = state.task;
  const { replan, rounds } = state.planning;
  const toolCalls = available(state.ledger, 'toolCalls');
  return {
    goal: state.goal,
    inputs,
    tools: [...state.tools.values()].filter((tool) => !state.withheld.has(tool.name)),
    limits: {
      maxNodes: limits.maxNodes,
      foreachItems: limits.foreachItems,
      ...(toolCalls === Infinity ? {} : { toolCalls }),
    },
    ...(planner.schema === 'open'
      ? {}
      : { strict: planner.nodes === undefined ? {} : { nodes: planner.nodes } }),
    rounds,
    ...(replan === null || state.plan === null
      ? {}
      : {
          replan: {
            plan: state.plan,
            done: doneResults(state).map(({ node, tool }) => ({ id: node, tool })),
            failures: state.pastFailures,
            issues: replan.issues,
          },
        }),
  };
}

/** Key of the question to the judge about the output, and of the one more that an unreadable answer leads to. */
export function judgeKey(state: RunState, ordinal: 1 | 2): string {
  return ordinal === 1 ? `judge/${state.verifications + 1}` : `judge/${state.verifications + 1}/2`;
}

/** The question to the judge about the output. */
export function wantJudge(state: RunState, output: NodeState, id: string, tries = 0): WantedCall {
  return {
    id,
    tries,
    role: 'critic',
    node: '',
    recall: recallForJudge(state),
    build: ({ contextChars, memory }) =>
      judgeRequest(
        {
          goal: state.goal,
          rubric: state.task.verify.rubric ?? null,
          report: output.value ?? null,
          results: resultsBehind(state, output),
          contextChars,
          memory,
        },
        id === judgeKey(state, 2) ? unreadableAnswer(state) : undefined,
      ),
  };
}

function unreadableAnswer(state: RunState): { text: string; reasons: readonly string[] } {
  const call = state.calls.get(judgeKey(state, 1));
  return { text: call?.answer?.text ?? '', reasons: readJudgement(state, call).reasons };
}

/** The question that repairs the arguments of a call. */
export function wantRepair(state: RunState, node: NodeState, tries = 0): WantedCall {
  return {
    id: repairKey(node.id, node.repairs + 1),
    tries,
    role: 'repairer',
    node: node.id,
    recall: recallForRepair(state, node),
    build: ({ memory }) => repairRequest({ tool: node.tool, ...misuseOf(state, node), memory }),
  };
}

/** The write-up of a run that was stopped. */
export function wantFinal(state: RunState): WantedCall {
  return {
    id: 'final/1',
    tries: 0,
    role: 'finalizer',
    node: '',
    isFinal: true,
    build: ({ contextChars }) =>
      finalizeRequest({
        goal: state.goal,
        results: foundResults(state),
        missing: missingResults(state),
        contextChars,
      }),
  };
}

/** The question of a tool; on a revision of the output node with what the critic said. */
export function wantAsk(state: RunState, call: ModelCall): WantedCall | null {
  const { ask } = call;
  if (ask === null) return null;
  const issues = state.nodes.get(call.node)?.feedback ?? [];
  return {
    id: call.id,
    tries: call.tries,
    role: call.role,
    node: call.node,
    // What makes images or writes speech down knows nothing to do with memories.
    ...(ask.media === undefined ? { recall: recallForAsk(state, ask) } : { keepsModel: true }),
    build: ({ memory }) => ({
      messages: askMessages(ask, issues, memory),
      ...(ask.media === undefined ? {} : { media: ask.media }),
      ...(ask.format === undefined ? {} : { format: ask.format }),
      ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
      maxOutputTokens: call.isWidened ? undefined : ask.maxOutputTokens,
    }),
  };
}

/** The question that sums up what memory holds too much of; null where it holds no more than it may. */
export function wantSummary({ memory }: RunState, tries = 0): WantedCall | null {
  if (memory.overflow === null) return null;
  const { request } = memory.overflow;
  return {
    id: SUMMARY_KEY,
    tries,
    role: 'archivist',
    node: '',
    build: () => ({ messages: askMessages(request, []), maxOutputTokens: request.maxOutputTokens }),
  };
}

/** The call to make again after a failed try or a resumption. */
export function wantAgain(state: RunState, call: ModelCall): WantedCall | null {
  const output = outputNode(state);
  const node = state.nodes.get(call.node);
  switch (call.purpose) {
    case 'plan':
      return wantPlan(state, call.id, call.tries);
    case 'judge':
      return output === undefined ? null : wantJudge(state, output, call.id, call.tries);
    case 'repair':
      return node === undefined ? null : wantRepair(state, node, call.tries);
    case 'final':
      return { ...wantFinal(state), tries: call.tries };
    case 'summary':
      return wantSummary(state, call.tries);
    case 'ask':
      return wantAsk(state, call);
    case 'agent':
      return wantAgentAgain(state, call);
  }
}
