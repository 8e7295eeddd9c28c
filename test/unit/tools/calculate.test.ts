import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import { callBuiltin } from '../../support/builtin-call.ts';

const calculate = (expression: string, variables: Record<string, number> = {}): Promise<Json> =>
  callBuiltin('calculate', { expression, variables });

describe('exactly', () => {
  it.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['0.1 + 0.2', '0.3'],
    ['1.10 * 3', '3.3'],
    ['10 / 4', '2.5'],
    ['1 / 3 * 3', '1'],
    ['1/3 + 1/6', '0.5'],
    ['2 ^ 10', '1024'],
    ['2 ** 100', '1267650600228229401496703205376'],
    ['2 ^ -2', '0.25'],
    ['2 ^ 3 ^ 2', '512'],
    ['-2 ^ 2', '-4'],
    ['(-2) ^ 2', '4'],
    ['2 - -3', '5'],
    ['7 % 3', '1'],
    ['-7 % 3', '-1'],
    ['5.5 % 2', '1.5'],
    ['1e3 + 1E-3', '1000.001'],
    ['1_000_000 * 2', '2000000'],
    ['.5 + 1.', '1.5'],
    ['6 ÷ 2 × 3 − 1 · 2', '7'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(1.005, 2)', '1.01'],
    ['round(1250, -2)', '1300'],
    ['floor(-1.5) + ceil(-1.5) + trunc(-1.5)', '-4'],
    ['abs(-3) + sign(-3)', '2'],
    ['max(1, 3, 2) - min(1, 3, 2)', '2'],
    ['sum(1, 2, 3) / mean(1, 2, 3)', '3'],
    ['median(1, 9, 2, 4)', '3'],
    ['0 ^ 0', '1'],
    ['37435191 / 13960236 * 0', '0'],
  ])('%s = %s', async (expression, text) => {
    expect(await calculate(expression)).toEqual({ value: Number(text), text, exact: true });
  });
});

describe('as near as computers come', () => {
  it.each([
    ['sqrt(2)', Math.SQRT2],
    ['2 ^ 0.5', Math.SQRT2],
    ['ln(e)', 1],
    ['log(8, 2)', 3],
    ['log10(1000)', 3],
    ['sin(pi / 2)', 1],
    ['atan2(1, 1) * 4', Math.PI],
    ['hypot(3, 4)', 5],
    ['cbrt(27)', 3],
    ['9 ^ 5000 / 9 ^ 4999', NaN],
  ])('%s', async (expression, value) => {
    if (Number.isNaN(value))
      await expect(calculate(expression)).rejects.toMatchObject({ code: 'tool_misuse' });
    else {
      const result = (await calculate(expression)) as { value: number; exact: boolean };
      expect(result.value).toBeCloseTo(value, 12);
      expect(result.exact).toBe(false);
    }
  });

  it('a fraction without an end is exact and written with 20 digits', async () => {
    expect(await calculate('2 / 3')).toEqual({ value: 2 / 3, text: '0.66666666666666666667', exact: true });
    expect(await calculate('1 / 3000')).toEqual({
      value: 1 / 3000,
      text: '0.00033333333333333333333',
      exact: true,
    });
  });
});

it('takes variables by their names, and as they are written in decimals', async () => {
  const variables = { tokyo: 35676000, osaka: 11294000, größe_1: 0.1 };
  expect(await calculate('round(tokyo / osaka, 2)', variables)).toMatchObject({ text: '3.16' });
  expect(await calculate('größe_1 * 3', variables)).toMatchObject({ text: '0.3' });
  expect(await calculate('pi', { pi: 3 })).toMatchObject({ text: '3' });
});

it.each([
  ['1 +', 'ends too early'],
  ['1 2', '"2" is not expected'],
  ['(1', '")" is missing'],
  ['1)', '")" is not expected'],
  ['1 / 0', 'divides by zero'],
  ['1 % (2 - 2)', 'divides by zero'],
  ['0 ^ -1', 'divides by zero'],
  ['foo', 'no variable foo'],
  ['tokio', 'did you mean tokyo'],
  ['sqr(4)', 'did you mean sqrt'],
  ['sqrt(1, 2)', 'takes 1 arguments'],
  ['constructor', 'no variable'],
  ['__proto__', 'no variable'],
  ['toString()', 'no function'],
  ['process.exit()', '"." means nothing'],
  ['process', 'no variable process'],
  ['1; 2', '";" means nothing'],
  ['sqrt(-1)', 'no result'],
  ['ln(0)', 'no result'],
  ['10 ^ 400', 'no result'],
  ['round(1, 0.5)', 'whole number of digits'],
  [`${'('.repeat(200)}1${')'.repeat(200)}`, 'too deep'],
  ['-'.repeat(300) + '1', 'too deep'],
  ['x'.repeat(4001), 'expression'],
])('refuses %s', async (expression, message) => {
  const failed = calculate(expression, { tokyo: 1 });
  await expect(failed).rejects.toMatchObject({ code: 'tool_misuse' });
  await expect(failed).rejects.toThrow(message);
});

it('what takes too many digits goes on rounded, and ends soon', async () => {
  await expect(calculate('9 ^ 9 ^ 9')).rejects.toMatchObject({ code: 'tool_misuse' });
  expect(await calculate('9 ^ 300 * 9 ^ 0.5')).toMatchObject({ exact: false });
  expect(await calculate('1 / 9 ^ 9 ^ 9')).toMatchObject({ value: 0, exact: false });
  expect(await calculate('(2 ^ 1000) ^ 0 + 3 ^ 600 / 3 ^ 599')).toMatchObject({ text: '4' });
});

it('agrees with whole numbers of any size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt(), fc.bigInt(), fc.constantFrom('+', '-', '*'), async (a, b, operator) => {
      const expected = operator === '+' ? a + b : operator === '-' ? a - b : a * b;
      const result = (await calculate(`(${a}) ${operator} (${b})`)) as { text: string };
      expect(result.text).toBe(String(expected));
    }),
    { numRuns: 200 },
  );
});

it('agrees with the decimal numbers of JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (x) => {
      const result = (await calculate('x', { x })) as { value: number };
      expect(result.value === x || Math.abs(result.value / x - 1) < 1e-15).toBe(true);
    }),
    { numRuns: 300 },
  );
});
