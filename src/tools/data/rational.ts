/** A number that is known exactly: a fraction in lowest terms, its denominator above 0. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Beyond so many bits exact arithmetic would take too long; a calculation then goes on with rounded numbers. */
const MAX_BITS = 8192;
const MAX_EXPONENT = 4096;

/** Digits that a fraction without an end is rounded to. */
const SIGNIFICANT_DIGITS = 20;
const MAX_DECIMALS = 60;

/** The fraction of two whole numbers; null where it takes too many bits. The denominator is not 0. */
export function toRational(numerator: bigint, denominator = 1n): Rational | null {
  const divisor = gcd(abs(numerator), abs(denominator)) * (denominator < 0n ? -1n : 1n);
  const [top, bottom] = [numerator / divisor, denominator / divisor];
  return bitsOf(top) > MAX_BITS || bitsOf(bottom) > MAX_BITS ? null : { numerator: top, denominator: bottom };
}

/** The number that a decimal notation stands for, such as `0.1` or `6.02e23`; null where it is too large. */
export function parseDecimal(text: string): Rational | null {
  const [, whole = '', decimals = '', exponent = '0'] =
    /^(-?\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const shift = Number(exponent) - decimals.length;
  if (Math.abs(shift) > MAX_EXPONENT) return null;
  const digits = BigInt(whole.replace('-', '') + decimals) * (whole.startsWith('-') ? -1n : 1n);
  return shift < 0 ? toRational(digits, 10n ** BigInt(-shift)) : toRational(digits * 10n ** BigInt(shift));
}

/** A power with a whole exponent; null where it takes too many bits. The base is not 0 where the exponent is below 0. */
export function powerOf({ numerator, denominator }: Rational, exponent: number): Rational | null {
  const size = Math.abs(exponent);
  if (Math.max(bitsOf(numerator), bitsOf(denominator)) * size > MAX_BITS * 2) return null;
  const [top, bottom] = [numerator ** BigInt(size), denominator ** BigInt(size)];
  return exponent < 0 ? toRational(bottom, top) : toRational(top, bottom);
}

/** The number without its decimals, towards zero. */
export function truncate({ numerator, denominator }: Rational): bigint {
  return numerator / denominator;
}

/** The largest whole number that is not above it. */
export function floor(value: Rational): bigint {
  const whole = truncate(value);
  return value.numerator < 0n && whole * value.denominator !== value.numerator ? whole - 1n : whole;
}

/** In decimal notation: whole where it has an end within 60 places, else to 20 significant digits. */
export function toDecimal(value: Rational): string {
  const { numerator, denominator } = value;
  const sign = numerator < 0n ? '-' : '';
  const size = abs(numerator);
  const places = decimalPlaces(denominator);
  if (places !== null && places <= MAX_DECIMALS) {
    return sign + withPoint((size * 10n ** BigInt(places)) / denominator, places);
  }
  const decimals = Math.max(0, SIGNIFICANT_DIGITS - magnitude(size, denominator));
  const scaled = (2n * size * 10n ** BigInt(decimals) + denominator) / (2n * denominator);
  return sign + withPoint(scaled, decimals).replace(/\.?0+$/, '');
}

/** How many decimals a fraction with that denominator has; null where they have no end. */
function decimalPlaces(denominator: bigint): number | null {
  let [rest, twos, fives] = [denominator, 0, 0];
  for (; rest % 2n === 0n; rest /= 2n) twos++;
  for (; rest % 5n === 0n; rest /= 5n) fives++;
  return rest === 1n ? Math.max(twos, fives) : null;
}

/** About how many digits stand before the point; below 0 where zeros follow it. */
function magnitude(size: bigint, denominator: bigint): number {
  return String(size).length - String(denominator).length;
}

function withPoint(digits: bigint, places: number): string {
  if (places === 0) return String(digits);
  const text = String(digits).padStart(places + 1, '0');
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
}

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? 1n : a;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function bitsOf(value: bigint): number {
  return abs(value).toString(16).length * 4;
}
