import { ToolError } from '../../kernel/errors.ts';
import { parseDecimal, powerOf, type Rational, toDecimal, toRational, truncate } from './rational.ts';

/** A number in a calculation: exact as long as that is possible, else rounded as computers do. */
export type Quantity = Rational | number;

/** The quantity that a number of JSON stands for: the decimal number that it is written as. */
export function toQuantity(value: number): Quantity {
  return parseDecimal(String(value)) ?? value;
}

/** The quantity that a notation stands for, such as `1.5e3`. */
export function readQuantity(text: string): Quantity {
  return parseDecimal(text) ?? Number(text);
}

/** Whether a quantity is known exactly. */
export function isExact(value: Quantity): value is Rational {
  return typeof value !== 'number';
}

/** A quantity as a number of JSON, the nearest there is. */
export function toNumber(value: Quantity): number {
  return isExact(value) ? Number(toDecimal(value)) : value;
}

/** A quantity as text, with every digit that is known. */
export function toText(value: Quantity): string {
  return isExact(value) ? toDecimal(value) : String(value);
}

/** The sum. */
export function add(a: Quantity, b: Quantity): Quantity {
  return calculate(
    a,
    b,
    (x, y) =>
      toRational(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator),
    (x, y) => x + y,
  );
}

/** The negative. */
export function negate(value: Quantity): Quantity {
  return isExact(value) ? { ...value, numerator: -value.numerator } : -value;
}

/** The product. */
export function multiply(a: Quantity, b: Quantity): Quantity {
  return calculate(
    a,
    b,
    (x, y) => toRational(x.numerator * y.numerator, x.denominator * y.denominator),
    (x, y) => x * y,
  );
}

/** The quotient; throws at a division by zero. */
export function divide(a: Quantity, b: Quantity): Quantity {
  refuseZero(b);
  return calculate(
    a,
    b,
    (x, y) => toRational(x.numerator * y.denominator, x.denominator * y.numerator),
    (x, y) => x / y,
  );
}

/** What is left of a division towards zero; it has the sign of the first. Throws at a division by zero. */
export function remainder(a: Quantity, b: Quantity): Quantity {
  refuseZero(b);
  if (!isExact(a) || !isExact(b)) return toNumber(a) % toNumber(b);
  const quotient = divide(a, b);
  if (!isExact(quotient)) return toNumber(a) % toNumber(b);
  return add(a, negate(multiply(b, { numerator: truncate(quotient), denominator: 1n })));
}

/** The power; exact where the exponent is a whole number. */
export function power(base: Quantity, exponent: Quantity): Quantity {
  if (isExact(base) && isExact(exponent) && exponent.denominator === 1n) {
    if (exponent.numerator < 0n) refuseZero(base);
    const exact = powerOf(base, Number(exponent.numerator));
    if (exact !== null) return exact;
  }
  return toNumber(base) ** toNumber(exponent);
}

/** Below 0, 0 or above 0, as the first is less than, equal to or greater than the second. */
export function compare(a: Quantity, b: Quantity): number {
  if (!isExact(a) || !isExact(b)) return toNumber(a) - toNumber(b);
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function calculate(
  a: Quantity,
  b: Quantity,
  exactly: (a: Rational, b: Rational) => Rational | null,
  rounded: (a: number, b: number) => number,
): Quantity {
  const exact = isExact(a) && isExact(b) ? exactly(a, b) : null;
  return exact ?? rounded(toNumber(a), toNumber(b));
}

function refuseZero(value: Quantity): void {
  if (isExact(value) ? value.numerator === 0n : value === 0) {
    throw new ToolError('TOOL_MISUSE', 'the expression divides by zero');
  }
}
