import { ToolError } from '../../kernel/errors.ts';
import {
  add,
  compare,
  divide,
  isExact,
  multiply,
  negate,
  power,
  type Quantity,
  toNumber,
} from './quantity.ts';
import { floor, type Rational, truncate } from './rational.ts';

/** A function of a calculation: how many arguments it takes, and what it gives. */
export interface MathFunction {
  readonly min: number;
  readonly max: number;
  run(args: readonly Quantity[]): Quantity;
}

const ZERO: Rational = { numerator: 0n, denominator: 1n };
const MANY = 1000;

/** The functions by name. Angles are in radians. */
export const MATH_FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map<string, MathFunction>([
  ['abs', one((x) => (compare(x, ZERO) < 0 ? negate(x) : x))],
  ['sign', one((x) => whole(BigInt(Math.sign(compare(x, ZERO)))))],
  ['floor', one((x) => (isExact(x) ? whole(floor(x)) : Math.floor(x)))],
  ['ceil', one((x) => (isExact(x) ? whole(-floor({ ...x, numerator: -x.numerator })) : Math.ceil(x)))],
  ['trunc', one((x) => (isExact(x) ? whole(truncate(x)) : Math.trunc(x)))],
  ['round', { min: 1, max: 2, run: ([x = ZERO, digits = ZERO]) => round(x, digits) }],
  ['min', many((all) => all.reduce((a, b) => (compare(b, a) < 0 ? b : a)))],
  ['max', many((all) => all.reduce((a, b) => (compare(b, a) > 0 ? b : a)))],
  ['sum', many((all) => all.reduce(add))],
  ['mean', many(mean)],
  ['avg', many(mean)],
  ['median', many(median)],
  ['sqrt', one((x) => Math.sqrt(toNumber(x)))],
  ['cbrt', one((x) => Math.cbrt(toNumber(x)))],
  ['exp', one((x) => Math.exp(toNumber(x)))],
  ['ln', one((x) => Math.log(toNumber(x)))],
  ['log10', one((x) => Math.log10(toNumber(x)))],
  ['log2', one((x) => Math.log2(toNumber(x)))],
  [
    'log',
    { min: 2, max: 2, run: ([x = ZERO, base = ZERO]) => Math.log(toNumber(x)) / Math.log(toNumber(base)) },
  ],
  ['sin', one((x) => Math.sin(toNumber(x)))],
  ['cos', one((x) => Math.cos(toNumber(x)))],
  ['tan', one((x) => Math.tan(toNumber(x)))],
  ['asin', one((x) => Math.asin(toNumber(x)))],
  ['acos', one((x) => Math.acos(toNumber(x)))],
  ['atan', one((x) => Math.atan(toNumber(x)))],
  ['atan2', { min: 2, max: 2, run: ([y = ZERO, x = ZERO]) => Math.atan2(toNumber(y), toNumber(x)) }],
  ['hypot', many((all) => Math.hypot(...all.map(toNumber)))],
]);

/** The constants by name. */
export const MATH_CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['tau', 2 * Math.PI],
  ['e', Math.E],
]);

function one(run: (x: Quantity) => Quantity): MathFunction {
  return { min: 1, max: 1, run: ([x = ZERO]) => run(x) };
}

function many(run: (all: readonly Quantity[]) => Quantity): MathFunction {
  return { min: 1, max: MANY, run };
}

function whole(numerator: bigint): Rational {
  return { numerator, denominator: 1n };
}

function mean(all: readonly Quantity[]): Quantity {
  return divide(all.reduce(add), whole(BigInt(all.length)));
}

function median(all: readonly Quantity[]): Quantity {
  const sorted = all.toSorted(compare);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return mean(middle);
}

/** Halves go away from zero, as in school. */
function round(x: Quantity, digits: Quantity): Quantity {
  const places = toNumber(digits);
  if (!Number.isInteger(places) || Math.abs(places) > 100) {
    throw new ToolError('TOOL_MISUSE', 'round takes a whole number of digits between -100 and 100');
  }
  const scale = power(whole(10n), whole(BigInt(places)));
  const scaled = multiply(x, scale);
  const half = { numerator: compare(scaled, ZERO) < 0 ? -1n : 1n, denominator: 2n };
  const moved = add(scaled, half);
  return divide(isExact(moved) ? whole(truncate(moved)) : Math.trunc(moved), scale);
}
