/**
 * How long a server asks to wait, in milliseconds from `nowMs`: `retry-after-ms`, or `retry-after` in seconds or as a
 * date. Undefined where it says nothing that can be read.
 */
export function readRetryAfter(headers: Headers | undefined, nowMs = Date.now()): number | undefined {
  const precise = toDelay(headers?.get('retry-after-ms'), 1);
  if (precise !== undefined) return precise;
  const value = headers?.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = toDelay(value, 1000);
  if (seconds !== undefined) return seconds;
  // What begins otherwise is no date of HTTP, though it may parse as one.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function toDelay(value: string | null | undefined, unitMs: number): number | undefined {
  return value !== undefined && value !== null && /^\s*\d+(\.\d+)?\s*$/.test(value)
    ? Math.round(Number(value) * unitMs)
    : undefined;
}
