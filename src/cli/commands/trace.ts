import { writeFile } from 'node:fs/promises';
import { OrchestratorError } from '../../kernel/errors.ts';
import { type Arguments, type Command, SHARED_OPTIONS, TRACE_OPTIONS } from '../command.ts';
import { countOf } from '../count-of.ts';
import { type Io, writeLine } from '../io.ts';
import { usageError } from '../usage-error.ts';

/** Whoever asks for an export waits for it; a run does not. */
const TIMEOUT_MS = 30_000;

const FORMATS = ['otlp-json', 'jaeger-json', 'chrome'] as const;

/** Exports the spans of a past run from its log: to a collector, or as a file. */
export const traceCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, last, or a flight.jsonl' } },
  options: {
    otlp: { ...TRACE_OPTIONS.otlp, describe: 'Send the spans to this OTLP endpoint' },
    format: {
      type: 'string',
      choices: FORMATS,
      requiresArg: true,
      describe: "Write them: otlp-json (the default), jaeger-json for Jaeger's upload, chrome for Perfetto",
    },
    out: { type: 'string', requiresArg: true, describe: 'File to write (default: the standard output)' },
    'capture-content': TRACE_OPTIONS['capture-content'],
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [
    ['orchestrate trace last --otlp http://localhost:4318', 'Send a run to a collector'],
    ['orchestrate trace last --format chrome --out trace.json', 'A file to open in Perfetto'],
  ],
  async run(args, io) {
    const { isTelemetryWanted, openRunStore, readRecorded } = await import('../../compose.ts');
    const events = await readRecorded(args.text('run') ?? '', openRunStore(args.text('runs-folder')));
    const isWritten = args.text('format') !== undefined || args.text('out') !== undefined;
    const url = args.text('otlp');
    const isSent = url !== undefined || (!isWritten && isTelemetryWanted(io.env));
    if (isSent) await send(events, url, args, io);
    if (isWritten || !isSent) await write(events, args, io);
    return 0;
  },
};

type Events = Awaited<ReturnType<(typeof import('../../compose.ts'))['readRecorded']>>;

async function send(events: Events, url: string | undefined, args: Arguments, io: Io): Promise<void> {
  const { exportRun } = await import('../../compose.ts');
  const sent = await exportRun(events, {
    ...(url === undefined ? {} : { url }),
    ...{ env: io.env, timeoutMs: TIMEOUT_MS, metrics: false, captureContent: args.isSet('capture-content') },
  });
  if (!sent.ok) throw new OrchestratorError('export_failed', sent.reason);
  const note =
    sent.count === 0
      ? 'nothing was sent: OTEL_SDK_DISABLED turns tracing off'
      : `sent ${countOf(sent.count, 'span')}`;
  writeLine(io.stderr, note);
}

async function write(events: Events, args: Arguments, io: Io): Promise<void> {
  const { formatTrace } = await import('../../compose.ts');
  const format = FORMATS.find((name) => name === args.text('format')) ?? 'otlp-json';
  const captureContent = args.isSet('capture-content');
  const text = await formatTrace(events, { format, env: io.env, captureContent });
  const out = args.text('out');
  if (out === undefined) {
    writeLine(io.stdout, text);
    return;
  }
  try {
    await writeFile(out, `${text}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`--out ${out}: cannot be written (${reason})`, 'Name another file.');
  }
  writeLine(io.stderr, `wrote ${out}`);
}
