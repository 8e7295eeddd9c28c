import { describe, expect, it } from 'vitest';
import type { Check } from '../../../src/contracts/task.ts';
import type { CheckResult } from '../../../src/contracts/verdict.ts';
import { runChecks } from '../../../src/critic/run-checks.ts';
import type { Json } from '../../../src/kernel/json.ts';

function run(check: Check, report: Json, functionResults = new Map<number, CheckResult>()): CheckResult {
  const context = { report, goal: '', inputs: {}, results: [], functionResults };
  const [result] = runChecks([check], context);
  if (result === undefined) throw new Error('no result');
  return result;
}

describe('runChecks', () => {
  it('gives one result per check, in their order', () => {
    const checks: Check[] = [{ minLength: 1 }, { includes: 'Paris' }, { maxLength: 3 }];
    const context = { report: 'Paris', goal: '', inputs: {}, results: [], functionResults: new Map() };
    expect(runChecks(checks, context).map(({ name, ok }) => [name, ok])).toEqual([
      ['minLength 1', true],
      ['includes Paris', true],
      ['maxLength 3', false],
    ]);
  });

  it('names every item that the report lacks', () => {
    expect(run({ includes: ['Paris', 'Lima', 'Oslo'] }, 'City Comparison Report: Oslo')).toEqual({
      name: 'includes Paris, Lima, Oslo',
      ok: false,
      message: 'the report does not name "Paris", "Lima"',
    });
  });

  it('reads an output that is no text as its JSON', () => {
    expect(run({ includes: 'Paris' }, { city: 'Paris' }).ok).toBe(true);
    expect(run({ minLength: 9 }, { a: 1 })).toMatchObject({
      ok: true,
      message: 'the report has 12 characters',
    });
  });

  it('looks for headings, not for mentions', () => {
    const report = '# Report\n\n## 1. Paris\n\nNot Lima.\n\n**Oslo**\n';
    expect(run({ sections: ['Paris', 'Oslo'] }, report).ok).toBe(true);
    expect(run({ sections: ['Paris', 'Lima'] }, report)).toMatchObject({
      ok: false,
      message: 'no heading names "Lima"',
    });
    expect(run({ sections: 'Paris Oslo' }, report).ok).toBe(false);
  });

  it('counts lengths in code points', () => {
    expect(run({ minLength: 3 }, '💧💧').ok).toBe(false);
    expect(run({ maxLength: 2 }, '💧💧').ok).toBe(true);
    expect(run({ maxLength: 0 }, '').ok).toBe(true);
  });

  it('matches over line ends, by code point', () => {
    expect(run({ matches: '^a.+💧.$' }, 'a\nb💧💧').ok).toBe(true);
    expect(run({ matches: '^b' }, 'a\nb').ok).toBe(false);
  });

  it('tries a pattern on a bounded part of a report', () => {
    const result = run({ matches: 'end' }, 'x'.repeat(100_000) + 'end');
    expect(result).toMatchObject({
      ok: false,
      message: expect.stringContaining('first 100000 characters') as string,
    });
  });

  it('fails a pattern that is none', () => {
    expect(run({ matches: '(' }, 'a')).toMatchObject({
      ok: false,
      message: expect.stringContaining('pattern is not valid') as string,
    });
  });

  it('applies a schema to the output, or to the JSON that its text is', () => {
    const jsonSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    expect(run({ jsonSchema }, { n: 1 }).ok).toBe(true);
    expect(run({ jsonSchema }, '{"n":1}').ok).toBe(true);
    expect(run({ jsonSchema }, { n: '1' })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^\/n: /) as string,
    });
    expect(run({ jsonSchema: { required: ['n'] } }, 'prose')).toMatchObject({
      ok: false,
      message: 'the output is a text that is not JSON',
    });
  });

  it('fails where a schema cannot be applied', () => {
    expect(run({ jsonSchema: { type: 'nonsense' } }, 1)).toMatchObject({
      ok: false,
      message: expect.stringContaining('the schema cannot be applied') as string,
    });
  });

  it('takes the result of a function, and fails without one', () => {
    const check: Check = { function: './checks.ts#isFine' };
    const result = { name: 'function ./checks.ts#isFine', ok: true, message: 'fine' };
    expect(run(check, 'a', new Map([[0, result]]))).toEqual(result);
    expect(run(check, 'a')).toMatchObject({ name: result.name, ok: false });
  });

  it('names each number that stands nowhere', () => {
    const results = [{ node: 'n', tool: 't', value: 5 }];
    const context = { report: '5\n6 and 7', goal: '', inputs: {}, results, functionResults: new Map() };
    expect(runChecks([{ grounded: true }, { grounded: { tolerance: 0.2 } }], context)).toEqual([
      { name: 'grounded', ok: false, message: 'in no result, goal or input: 6 (line 2), 7 (line 2)' },
      { name: 'grounded within 0.2', ok: false, message: 'in no result, goal or input: 7 (line 2)' },
    ]);
  });
});
