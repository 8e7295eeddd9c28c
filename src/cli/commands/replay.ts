import type { ReplayReport } from '../../index.ts';
import { type Command, SHARED_OPTIONS, TRACE_OPTIONS } from '../command.ts';
import { warnUnsent } from '../export-spans.ts';
import { writeLine } from '../io.ts';
import { shellWord } from '../shell-word.ts';
import { createStyle } from '../style.ts';

/** Decides a recorded run again without any call, and names the first difference. */
export const replayCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, last, or a flight.jsonl' } },
  options: {
    strict: { type: 'boolean', describe: 'A changed prompt is an error, not a warning' },
    otlp: {
      ...TRACE_OPTIONS.otlp,
      describe: 'Send a span of the replay, linked to the run, to this endpoint',
    },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  async run(args, io) {
    const run = args.text('run') ?? '';
    const runsFolder = args.text('runs-folder');
    const { replayRun } = await import('../../compose.ts');
    const startMs = epochMs();
    const report = await replayRun(run, {
      strict: args.isSet('strict'),
      ...(runsFolder === undefined ? {} : { runsFolder }),
    });
    const url = args.text('otlp');
    if (url !== undefined) {
      const { exportReplay, openRunStore, readRecorded } = await import('../../compose.ts');
      const times = { startMs, endMs: epochMs() };
      const recorded = await readRecorded(run, openRunStore(runsFolder));
      const sent = await exportReplay(recorded, report, { ...times, url, env: io.env });
      if (!sent.ok) warnUnsent(sent, io);
    }
    const { divergence, warnings, notRecomputed = [] } = report;
    // What could not be recomputed proves nothing, and whoever is strict asks for the proof.
    const isGood = divergence === null && (notRecomputed.length === 0 || !args.isSet('strict'));
    if (args.isSet('json')) {
      writeLine(io.stdout, JSON.stringify(report, null, 2));
      return isGood ? 0 : 1;
    }
    const style = createStyle(io.stdout, io.env);
    for (const warning of warnings) writeLine(io.stdout, `${style.yellow('warning:')} ${warning}`);
    if (divergence === null) writeLine(io.stdout, describeSame(report, style));
    else {
      const { seq, type, field, recorded, computed } = divergence;
      writeLine(io.stdout, `${style.red('diverged')} at event ${seq} (${type}), ${field}:`);
      writeLine(io.stdout, `  recorded ${JSON.stringify(recorded)}`);
      writeLine(io.stdout, `  computed ${JSON.stringify(computed)}`);
    }
    if (!run.endsWith('.jsonl')) writeLine(io.stdout, `\nNext: orchestrate show ${shellWord(run)}`);
    return isGood ? 0 : 1;
  },
};

function describeSame(report: ReplayReport, style: ReturnType<typeof createStyle>): string {
  const { events, isComplete, notRecomputed = [] } = report;
  const left = notRecomputed.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const end = isComplete ? '' : '; the run has not ended';
  if (left === events)
    return `${style.yellow('not recomputed')}: ${events} events were read, and none was decided again${end}`;
  const which = left === 0 ? `${events} events` : `${events - left} of ${events} events`;
  return `${style.green('same')}: ${which}, every decision made again as recorded${end}`;
}

function epochMs(): number {
  return performance.timeOrigin + performance.now();
}
