import { type Io, writeLine } from './io.ts';
import type { FlightEvent } from '../index.ts';
import { createStyle } from './style.ts';

/** Where spans go by the command line, and whether content goes along. */
interface SpanWishes {
  readonly url: string | undefined;
  readonly captureContent: boolean;
}

/**
 * Sends what this process did of a run where `--otlp` or the environment says; a failure is a warning and nothing more.
 */
export async function exportSpans(
  events: readonly FlightEvent[],
  { url, captureContent }: SpanWishes,
  io: Io,
): Promise<void> {
  if (events.length === 0) return;
  const { exportRun } = await import('../compose.ts');
  const contents = { captureContent, lastProcessOnly: true };
  const sent = await exportRun(events, { ...contents, ...(url === undefined ? {} : { url }), env: io.env });
  if (!sent.ok) warnUnsent(sent, io);
}

/** Says what did not reach its collector, and why. */
export function warnUnsent({ reason, count = 0 }: { reason: string; count?: number }, io: Io): void {
  const { yellow } = createStyle(io.stderr, io.env);
  writeLine(io.stderr, `${yellow('warning:')} no ${count > 0 ? 'metrics' : 'spans'} were sent: ${reason}`);
}
