import { usageError } from './usage-error.ts';

/** The count that an option gives, null where it is not given; throws `usage` for what is none. */
export function readCount(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw usageError(`${option} ${text}: expected a whole number`);
  return Number(text);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** The age in milliseconds that an option gives as `30d` or `12h`, null where it is not given. */
export function readAge(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  const [, amount, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (amount === undefined || unitMs === undefined) {
    throw usageError(
      `${option} ${text}: expected a number with m, h, d or w`,
      'Such as 30d for thirty days.',
    );
  }
  return Number(amount) * unitMs;
}

const UNIT_BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/** The bytes that an option gives as `20MB` or `500kB`, null where it is not given. */
export function readBytes(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  const [, amount, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?([kmg]?b)$/i.exec(text) ?? [];
  const unitBytes = UNIT_BYTES[unit.toLowerCase()];
  if (amount === undefined || unitBytes === undefined) {
    throw usageError(`${option} ${text}: expected a number with B, kB, MB or GB`, 'Such as 20MB.');
  }
  return Math.floor(Number(amount) * unitBytes);
}
