import { sha256 } from '../kernel/hash.ts';

/** The parts of a W3C `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the caller records its own spans. */
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The trace and span that a `traceparent` names; null where it is not valid (W3C Trace Context). */
export function parseTraceparent(text: string): TraceParent | null {
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(text.trim()) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined) return null;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (isAllZero(traceId) || isAllZero(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 };
}

/** Trace id of a run: that of the recorded `traceparent` where it is valid, else from the SHA-256 of the run id. */
export function traceIdOf(runId: string, traceparent?: string): string {
  const parent = traceparent === undefined ? null : parseTraceparent(traceparent);
  return parent?.traceId ?? nonZero(sha256(runId).slice(0, 32));
}

/** Span id of an effect, known before the effect starts: a hash of run id and effect key, never zero. */
export function spanIdOf(runId: string, effectKey: string): string {
  return nonZero(sha256(`${runId}\n${effectKey}`).slice(0, 16));
}

function isAllZero(digits: string): boolean {
  return /^0+$/.test(digits);
}

function nonZero(digits: string): string {
  return isAllZero(digits) ? digits.slice(1) + '1' : digits;
}
