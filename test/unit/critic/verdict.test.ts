import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/contracts/verdict.ts';
import type { Judgement } from '../../../src/critic/judge.ts';
import { combineVerdict } from '../../../src/critic/verdict.ts';

const good: CheckResult = { name: 'minLength 1', ok: true, message: 'the report has 5 characters' };
const bad: CheckResult = { name: 'includes Paris', ok: false, message: 'the report does not name "Paris"' };
const passed: Judgement = { outcome: 'pass', score: 0.9, reasons: [] };
const skipped = { skipped: true } as const;

describe('combineVerdict', () => {
  it.each(['off', 'on', 'required'] as const)('fails on a failed check, judge %s', (judge) => {
    const expected = {
      outcome: 'fail',
      tier: 'checks',
      checks: [good, bad],
      reasons: ['includes Paris: the report does not name "Paris"'],
    };
    expect(combineVerdict({ checks: [good, bad], judge, ...skipped })).toEqual(expected);
    expect(combineVerdict({ checks: [good, bad], judge, judgement: passed })).toEqual(expected);
  });

  it('passes by checks where the judge is off, and by nothing where there are none', () => {
    expect(combineVerdict({ checks: [good], judge: 'off', ...skipped })).toMatchObject({
      outcome: 'pass',
      tier: 'checks',
    });
    expect(combineVerdict({ checks: [], judge: 'off', ...skipped })).toMatchObject({
      outcome: 'pass',
      tier: 'none',
    });
  });

  it.each([
    passed,
    { outcome: 'fail', score: 0.2, reasons: ['swapped'] },
    { outcome: 'indeterminate', reasons: ['not JSON'] },
  ] satisfies Judgement[])('takes over the judgement $outcome', (judgement) => {
    expect(combineVerdict({ checks: [good], judge: 'on', judgement })).toEqual({
      ...judgement,
      tier: 'judge',
      checks: [good],
    });
  });

  it('is indeterminate where the judge was asked in vain', () => {
    const verdict = combineVerdict({ checks: [good], judge: 'on', unobtainable: 'every call answered 429' });
    expect(verdict).toEqual({
      outcome: 'indeterminate',
      tier: 'judge',
      checks: [good],
      reasons: ['every call answered 429'],
    });
  });

  it('passes by checks alone where the budget leaves no room for the judge', () => {
    expect(combineVerdict({ checks: [good], judge: 'on', ...skipped })).toMatchObject({
      outcome: 'pass',
      tier: 'checks',
    });
  });

  it.each([
    ['the judge is required', [good], 'required', 'checks'],
    ['there are no checks', [], 'on', 'none'],
  ] as const)('is indeterminate without the judge where %s', (_, checks, judge, tier) => {
    const verdict = combineVerdict({ checks, judge, ...skipped });
    expect(verdict).toMatchObject({ outcome: 'indeterminate', tier });
    expect(verdict.reasons).toHaveLength(1);
  });
});
