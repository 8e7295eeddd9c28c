import { type Io, writeLine } from './io.ts';
import type { ObservedEvent } from './progress/observed.ts';
import { createStyle } from './style.ts';

/** Sends the spans of a run where `--otlp` or the environment says; a failure is a warning and nothing more. */
export async function exportSpans(
  events: readonly ObservedEvent[],
  url: string | undefined,
  io: Io,
): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = io.env;
  if (events.length === 0 || (url ?? (traces || endpoint)) === undefined) return;
  try {
    const { exportRun } = await import('../compose.ts');
    await exportRun(events, { ...(url === undefined ? {} : { url }), env: io.env });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    writeLine(
      io.stderr,
      `${createStyle(io.stderr, io.env).yellow('warning:')} the spans were not exported: ${reason}`,
    );
  }
}
