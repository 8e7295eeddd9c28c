import { type Io, writeLine } from './io.ts';
import type { FlightEvent } from '../index.ts';
import { createStyle } from './style.ts';

/** Sends the spans of a run where `--otlp` or the environment says; a failure is a warning and nothing more. */
export async function exportSpans(
  events: readonly FlightEvent[],
  url: string | undefined,
  io: Io,
): Promise<void> {
  if (events.length === 0) return;
  const { exportRun } = await import('../compose.ts');
  const sent = await exportRun(events, { ...(url === undefined ? {} : { url }), env: io.env });
  if (sent.ok) return;
  writeLine(
    io.stderr,
    `${createStyle(io.stderr, io.env).yellow('warning:')} no spans were sent: ${sent.reason}`,
  );
}
