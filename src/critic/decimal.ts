/** A number as a report or a result states it, exactly: `digits` × 10^`exponent`, negated where `isNegative`. */
export interface Decimal {
  readonly digits: string;
  readonly exponent: number;
  readonly isNegative: boolean;
}

/** The decimal of ASCII digits before and after the decimal mark. */
export function toDecimal(integer: string, fraction: string, exponent: number, isNegative: boolean): Decimal {
  return { digits: integer + fraction, exponent: exponent - fraction.length, isNegative };
}

/** The decimal times a power of ten. */
export function shiftDecimal(decimal: Decimal, exponent: number): Decimal {
  return { ...decimal, exponent: decimal.exponent + exponent };
}

const MOST_DIGITS_MULTIPLIED = 40;

/** The decimal times a factor; unchanged where it has more than 40 digits, which no quantity has. */
export function multiplyDecimal(decimal: Decimal, factor: bigint): Decimal {
  if (decimal.digits.length > MOST_DIGITS_MULTIPLIED) return decimal;
  return { ...decimal, digits: (BigInt(decimal.digits) * factor).toString() };
}

/** The one text of a decimal's value, which `Number` reads: `1.50`, `15e-1` and `0.15e1` give the same. */
export function decimalKey({ digits, exponent, isNegative }: Decimal): string {
  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return `${isNegative ? '-' : ''}${digits.slice(start, end)}e${exponent + digits.length - end}`;
}

/** The key of a JSON number. */
export function numberKey(value: number): string {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  return decimalKey(toDecimal(integer, fraction, Number(exponent), value < 0));
}
