import type { DriveOptions, FlightEvent, RunResult } from '../index.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { chooseApproval } from './approvals.ts';
import type { Arguments } from './command.ts';
import { exportSpans } from './export-spans.ts';
import { endIfLoading, listenForInterrupt } from './interrupt.ts';
import { canRedraw, type Io, writeLine } from './io.ts';
import type { LivePage } from './live-page.ts';
import { nextCommands } from './next-commands.ts';
import { HeldKeyboard } from './progress/held-keyboard.ts';
import { createLiveProgress } from './progress/live-progress.ts';
import type { Progress } from './progress/observed.ts';
import { createPlainProgress } from './progress/plain-progress.ts';
import { renderResult } from './result-text.ts';
import { writeNext } from './report-early-exit.ts';
import { noteRunUnderWay, runUnderWay } from './run-under-way.ts';
import { createStyle } from './style.ts';

type Watched = Pick<
  DriveOptions,
  'signal' | 'onEvent' | 'onDelta' | 'approve' | 'approves' | 'runsFolder' | 'env'
>;

/** Drives a run with progress on the screen, Ctrl-C and the person at the terminal, prints how it ended, and answers its exit code. */
export async function watchRun(
  args: Arguments,
  io: Io,
  drive: (watched: Watched) => Promise<RunResult>,
): Promise<number> {
  const isJson = args.isSet('json');
  const runsFolder = args.text('runs-folder');
  const progress = createProgress(isJson ? io.stderr : io.stdout, io);
  const interrupt = listenForInterrupt(
    () => {
      endIfLoading(io);
      progress.note('Interrupted: ending in order, the log is kept. Ctrl-C again ends at once.');
    },
    () => {
      progress.close();
      writeNext(runUnderWay(), io);
    },
  );
  const events: FlightEvent[] = [];
  const page = args.isSet('web') ? await servePage(runsFolder, io) : null;
  let result: RunResult;
  try {
    result = await drive({
      env: io.env,
      ...(runsFolder === undefined ? {} : { runsFolder }),
      ...chooseApproval(args.text('yes'), progress, interrupt.signal, io, page !== null),
      signal: interrupt.signal,
      onEvent: (event, state) => {
        if (events.push(event) === 1)
          noteRunUnderWay({ runId: state.runId, runsFolder, leave: () => progress.close() });
        progress.onEvent(event, state);
        page?.onEvent(event, state);
      },
      ...(progress.onDelta === undefined ? {} : { onDelta: progress.onDelta }),
    });
  } catch (error) {
    // Who tells of the error tells how the run is gone on with, unless its log says that it is over.
    const isCut = error instanceof OrchestratorError && error.code === 'log_write_failed';
    if (!isCut && events.at(-1)?.type === 'run.finished') noteRunUnderWay(null);
    await page?.close();
    throw error;
  } finally {
    progress.close();
    interrupt.dispose();
  }
  noteRunUnderWay(null);
  for (const warning of result.warnings ?? []) writeLine(io.stderr, `warning: ${warning}`);
  if (isJson) writeLine(io.stdout, JSON.stringify(result, null, 2));
  else printResult(result, runsFolder, io);
  const wishes = { url: args.text('otlp'), captureContent: args.isSet('capture-content') };
  await exportSpans(await wholeLog(events, result.runId, runsFolder), wishes, io);
  await page?.leave();
  return result.exitCode;
}

async function servePage(runsFolder: string | undefined, io: Io): Promise<LivePage> {
  const { startLivePage } = await import('./live-page.ts');
  return startLivePage(runsFolder, io);
}

/** The events of a run from its beginning on, which another process may have logged. */
async function wholeLog(
  events: readonly FlightEvent[],
  runId: string,
  runsFolder: string | undefined,
): Promise<readonly FlightEvent[]> {
  if (events[0]?.type === 'run.started') return events;
  const { openRunStore } = await import('../compose.ts');
  return openRunStore(runsFolder).read(runId);
}

function createProgress(stream: Io['stdout'], io: Io): Progress {
  const style = createStyle(stream, io.env);
  return canRedraw(stream, io.env)
    ? createLiveProgress(stream, style, io.env, new HeldKeyboard(io))
    : createPlainProgress(stream, style);
}

function printResult(result: RunResult, runsFolder: string | undefined, io: Io): void {
  writeLine(io.stdout, renderResult(result, createStyle(io.stdout, io.env)));
  const more =
    result.status === 'budget' ? [`orchestrate resume ${result.runId} --budget.… (a larger one)`] : [];
  writeLine(io.stdout, `\nNext: ${[...nextCommands(result, runsFolder), ...more].join(' · ')}`);
}
