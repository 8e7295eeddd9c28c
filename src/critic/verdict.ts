import type { Task } from '../contracts/task.ts';
import type { CheckResult, Verdict } from '../contracts/verdict.ts';
import type { Judgement } from './judge.ts';

/** What a verdict is drawn from: the checks, and the judgement or why there is none. */
export type VerdictInput = {
  readonly checks: readonly CheckResult[];
  readonly judge: Task['verify']['judge'];
} & (
  | { readonly judgement: Judgement }
  /** The judge was not asked: it is off, a check had failed, or the budget left no room for it. */
  | { readonly skipped: true }
  /** The judge was asked in vain: why. */
  | { readonly unobtainable: string }
);

/**
 * The verdict. A failed check fails whatever a judge said; a judgement that was due and could not be had is
 * `indeterminate`. Where the budget left no room for the judge the checks alone pass, unless the task requires the
 * judge or has no checks: then nothing has verified the report. A pass of tier `none` means that the task asks for
 * no verification.
 */
export function combineVerdict(input: VerdictInput): Verdict {
  const checks = [...input.checks];
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length > 0) {
    const reasons = failed.map(({ name, message }) => `${name}: ${message}`);
    return { outcome: 'fail', tier: 'checks', checks, reasons };
  }
  const tier = checks.length > 0 ? 'checks' : 'none';
  if (input.judge === 'off') return { outcome: 'pass', tier, checks, reasons: [] };
  if ('judgement' in input) {
    const { reasons, ...judgement } = input.judgement;
    return { ...judgement, tier: 'judge', checks, reasons: [...reasons] };
  }
  if ('unobtainable' in input) {
    return { outcome: 'indeterminate', tier: 'judge', checks, reasons: [input.unobtainable] };
  }
  if (input.judge === 'on' && checks.length > 0) return { outcome: 'pass', tier, checks, reasons: [] };
  const why = input.judge === 'required' ? 'the task requires it (verify.judge)' : 'the task has no checks';
  const reasons = [`the budget left no room for the judge, and ${why}`];
  return { outcome: 'indeterminate', tier, checks, reasons };
}
