import type { AskRequest } from '../contracts/model.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { WantedRecall } from './model-request.ts';
import type { NodeState } from './node-state.ts';
import type { RunState } from './state.ts';
import { latestResults, progressOf, workingMemory } from './working-memory.ts';

/** Longer questions are like everything. */
const QUERY_CHARS = 600;
/** What the judge is shown has to have room beside it: the report and the results. */
const JUDGE_SHARE = 0.25;

/** For a plan what is like the goal, and for another also like what failed; the request itself holds the rest. */
export function recallForPlan(state: RunState): WantedRecall {
  const isReplan = state.planning.replan !== null;
  return {
    share: 1,
    ask: () => ({
      query: queryOf([state.goal, ...(isReplan ? state.pastFailures.map(describeFailed) : [])]),
      working: isReplan ? { results: latestResults(state) } : {},
    }),
  };
}

function describeFailed({ tool, code }: RunState['pastFailures'][number]): string {
  return `${tool}: ${code}`;
}

/** For the judge what is like the goal and the rubric. */
export function recallForJudge(state: RunState): WantedRecall {
  return {
    share: JUDGE_SHARE,
    ask: () => ({
      query: queryOf([state.goal, state.task.verify.rubric ?? '']),
      working: { inputs: state.task.inputs, ...progressOf(state) },
    }),
  };
}

/** For a repair what is like the call and what is wrong with it. */
export function recallForRepair(state: RunState, node: NodeState): WantedRecall {
  return {
    share: 1,
    ask: () => ({
      query: queryOf([node.tool.name, node.failure?.message ?? '']),
      working: workingMemory(state),
    }),
  };
}

/** For the question of a tool what is like it, or like the goal that it serves. */
export function recallForAsk(state: RunState, ask: AskRequest): WantedRecall {
  return {
    share: 1,
    ask: () => ({ query: queryOf([ask.prompt, state.goal]), working: workingMemory(state) }),
  };
}

/** The parts on lines of their own; a long one leaves room for the others. */
function queryOf(parts: readonly string[]): string {
  const said = parts.filter((part) => part !== '');
  return said.map((part) => cutText(part, Math.floor(QUERY_CHARS / said.length))).join('\n');
}
