import type { Check } from '../contracts/task.ts';
import type { CheckResult, Verdict } from '../contracts/verdict.ts';
import { runChecks } from '../critic/run-checks.ts';
import type { Judgement } from '../critic/judge.ts';
import { combineVerdict } from '../critic/verdict.ts';
import { reportText } from '../critic/report-text.ts';
import { makeCall } from './make-call.ts';
import { finish, finishStopped } from './decide-ending.ts';
import type { Decision } from './effects.ts';
import { readJudgement } from './judgement.ts';
import { mayCall, wallLeftMs } from './modes.ts';
import { digestOf, isRepeatable, type NodeState } from './node-state.ts';
import { outputNode, resultsBehind } from './results.ts';
import { isChecking, type RunState } from './state.ts';
import { judgeKey, wantJudge } from './wanted-calls.ts';

/** What verifying the output owes: a function check, a question to the judge, or the verdict; null while it waits. */
export function decideVerifying(state: RunState, output: NodeState): Decision | null {
  return decideFunctionCheck(state, output) ?? (isChecking(state) ? null : decideVerdict(state, output));
}

function decideFunctionCheck(state: RunState, output: NodeState): Decision | null {
  if (isChecking(state)) return null;
  const { checks } = state.task.verify;
  const index = checks.findIndex(
    (check, position) => 'function' in check && state.verification?.functionResults.has(position) !== true,
  );
  if (index < 0) return null;
  const key = `check/${state.verifications + 1}/${index}`;
  return {
    event: { type: 'check.called', key, index },
    effect: {
      kind: 'callCheck',
      key,
      index,
      source: functionOf(checks[index]),
      report: reportText(output.value ?? null),
      timeoutMs: Math.min(state.task.limits.nodeTimeoutMs, Math.ceil(wallLeftMs(state))),
    },
  };
}

function functionOf(check: Check | undefined): string {
  return check !== undefined && 'function' in check ? check.function : '';
}

function decideVerdict(state: RunState, output: NodeState): Decision | null {
  const checks = checkResults(state, output);
  const judged = checks.every((check) => check.ok) ? askJudge(state, output) : { skipped: true as const };
  if (judged === null || 'event' in judged) return judged;
  return reached(output, combineVerdict({ checks, judge: state.task.verify.judge, ...judged }));
}

function checkResults(state: RunState, output: NodeState): CheckResult[] {
  const { checks } = state.task.verify;
  // What the output descends from is looked for in the whole plan.
  if (checks.length === 0) return [];
  return runChecks(checks, {
    report: output.value ?? null,
    goal: state.goal,
    inputs: state.task.inputs,
    results: resultsBehind(state, output),
    functionResults: state.verification?.functionResults ?? new Map(),
  });
}

type Judged = { readonly skipped: true } | { readonly judgement: Judgement };

/** The judge's answer, the decision to ask for it, or null while it is awaited. One that cannot be read is asked for again, once. */
function askJudge(state: RunState, output: NodeState): Judged | Decision | null {
  const isAsked = state.task.verify.judge !== 'off' && (state.mode === 'full' || state.mode === 'economy');
  const first = state.calls.get(judgeKey(state, 1));
  const second = state.calls.get(judgeKey(state, 2));
  const call = second ?? first;
  if (call === undefined) {
    if (!isAsked || !mayCall(state)) return { skipped: true };
    return makeCall(state, wantJudge(state, output, judgeKey(state, 1)));
  }
  if (call.status === 'refused') {
    return second === undefined ? { skipped: true } : { judgement: readJudgement(state, first) };
  }
  if (call.status !== 'answered') return null;
  const judgement = readJudgement(state, call);
  if (judgement.outcome !== 'indeterminate' || second !== undefined || !mayCall(state)) return { judgement };
  return makeCall(state, wantJudge(state, output, judgeKey(state, 2)));
}

/** The verdict where the judge failed for good: indeterminate, never a pass. */
export function giveUpVerdict(state: RunState, unobtainable: string): Decision {
  const output = outputNode(state);
  if (output === undefined) return finish(state, 'indeterminate', unobtainable);
  const checks = checkResults(state, output);
  return reached(output, combineVerdict({ checks, judge: state.task.verify.judge, unobtainable }));
}

function reached(output: NodeState, verdict: Verdict): Decision {
  return { event: { type: 'verdict.reached', node: output.id, digest: digestOf(output), verdict } };
}

/** What follows from a verdict: the end, one revision of the output, or a replan. */
export function decideJudged(state: RunState): Decision {
  const { verdict } = state;
  const output = outputNode(state);
  if (verdict === null || output === undefined)
    return finish(state, 'indeterminate', 'no verdict was reached');
  const reasons = verdict.reasons.join('; ');
  switch (verdict.outcome) {
    case 'pass':
      return verdict.tier === 'none'
        ? finish(state, 'unverified', 'the task asks for no verification')
        : finish(state, 'verified', verdict.tier === 'judge' ? 'checks and judge passed' : 'checks passed');
    case 'indeterminate':
      return finish(state, 'indeterminate', reasons);
    case 'fail':
      return decideRejected(state, output, verdict.reasons);
  }
}

function decideRejected(state: RunState, output: NodeState, issues: readonly string[]): Decision {
  const reason = issues.join('; ');
  if (canRevise(state, output)) {
    return { event: { type: 'node.amended', node: output.id, by: 'revision', reasons: issues } };
  }
  if (canReplan(state)) {
    return { event: { type: 'replan.started', reason: 'verdict', failed: [output.id], issues } };
  }
  return state.mode === 'stopped' ? finishStopped(state, null) : finish(state, 'rejected', reason);
}

/** A revision tells the models that the output node asks what was wrong; a node that asks none would do the same again. */
function canRevise(state: RunState, output: NodeState): boolean {
  return (
    state.revisions < state.task.verify.revisions &&
    output.asks > 0 &&
    isRepeatable(output.tool) &&
    mayCall(state)
  );
}

/** Replans are for full and economy mode, within their limit, and never replace a plan that was supplied. */
export function canReplan(state: RunState): boolean {
  return (
    !state.isPlanSupplied &&
    state.replans < state.task.limits.replans &&
    mayCall(state) &&
    (state.mode === 'full' || state.mode === 'economy')
  );
}
