import { interpretJudge, interpretJudgeAnswer, type Judgement } from '../critic/judge.ts';
import type { ModelCall, RunState } from './state.ts';

/** What a judge's answered call concluded; a call without an answer concludes nothing. */
export function readJudgement(state: RunState, call: ModelCall | undefined): Judgement {
  const { passScore } = state.task.verify;
  const answer = call?.answer ?? null;
  return answer === null ? interpretJudge('', passScore) : interpretJudgeAnswer(answer, passScore);
}
