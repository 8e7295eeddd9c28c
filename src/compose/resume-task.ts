import type { Provider } from '../contracts/ports.ts';
import type { Tool } from '../contracts/tool.ts';
import { resumeRun } from '../engine/begin.ts';
import { systemClock, systemRandom } from '../engine/system-clock.ts';
import type { EventOf } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { RunResult } from '../run/run-result.ts';
import { RULES_VERSION } from '../run/rules.ts';
import type { RunState } from '../run/state.ts';
import { budgetWith } from './budget-flags.ts';
import { checkRunOptions } from './check-options.ts';
import { driveRun, resultOf } from './drive-run.ts';
import { catalogueOf, type PreparationSources } from './prepare.ts';
import { prepareRecorded } from './prepare-recorded.ts';
import { quarantineChanged } from './own-pins.ts';
import { logPosted } from './log-posted.ts';
import { foldRecorded, previewOf, type ResumePreview } from './resume-preview.ts';
import { attendanceOf, type DriveOptions } from './run-options.ts';
import { storeOf } from './stores.ts';
import { writeArtifacts } from './write-artifacts.ts';

/** How a run is taken up. Its task is the recorded one; only limits of its budget may change. */
export interface ResumeOptions extends DriveOptions {
  /** Limits by path in dots, such as `budget.tokens`. */
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  /** Runs the nodes of an ended run again that failed or were skipped. */
  readonly retryFailed?: boolean;
  /** Tools and provider that the task does not name by module: those that the run was started with. */
  readonly tools?: readonly Tool[];
  readonly provider?: Provider;
}

type Changes = Pick<EventOf<'run.resumed'>, 'budget' | 'reopen'>;

/** Takes a run up and goes on to its end; throws `not_resumable`, `run_locked`, `run_not_found`, `log_corrupt`. */
export async function resumeRecorded(
  name: string,
  options: ResumeOptions,
  sources: PreparationSources,
): Promise<RunResult> {
  checkRunOptions(options);
  const run = await storeOf(options).open(name);
  try {
    refuseCutFork(foldRecorded(run.events), run.runId);
    // What was posted while nobody ran it comes first, so that it is not asked once more.
    const before = await logPosted(run, options.env);
    const recorded = foldRecorded(before);
    refuseNewerRules(recorded);
    const changes = changesOf(recorded, options);
    const prepared = quarantineChanged(
      await prepareRecorded(recorded, options, sources),
      before,
      options.tools,
    );
    const opened = {
      ...{ run, before, resumed: changes },
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
    };
    const resumed = { ...changes, ...attendanceOf(options) };
    const driven = await driveRun(prepared, options, opened, (ports) =>
      resumeRun(before, resumed, ports, catalogueOf(prepared)),
    );
    return await writeArtifacts(run, prepared, resultOf(driven, run.folder));
  } finally {
    await run.log.close();
  }
}

/** What a resumption would do, what was posted to the run logged; throws as it would, `run_locked` included. */
export async function previewResume(name: string, options: ResumeOptions = {}): Promise<ResumePreview> {
  const run = await storeOf(options).open(name);
  try {
    refuseCutFork(foldRecorded(run.events), run.runId);
    const events = await logPosted(run, options.env);
    const recorded = foldRecorded(events);
    refuseNewerRules(recorded);
    return previewOf(events, changesOf(recorded, options));
  } finally {
    await run.log.close();
  }
}

/** A fork whose process died while it still took over the events of the other run has not begun. */
function refuseCutFork({ runId }: RunState, folder: string): void {
  if (runId === folder) return;
  throw new OrchestratorError(
    'not_resumable',
    `run ${folder} holds events of ${runId} alone: a fork that was cut off before it began, or a folder that was renamed`,
    {
      hint: `Fork ${runId} again, or give the folder its name back.`,
    },
  );
}

/** What newer rules decided may mean something else by them. */
function refuseNewerRules({ runId, rules }: RunState): void {
  if (rules <= RULES_VERSION) return;
  throw new OrchestratorError(
    'not_resumable',
    `run ${runId} was decided by rules ${rules}; this version has rules ${RULES_VERSION}`,
    { hint: 'Resume it with the version of the program that ran it, or a later one.' },
  );
}

/** What of the run changes; throws `not_resumable` where nothing is left to be done. */
function changesOf(state: RunState, { flags = {}, retryFailed = false }: ResumeOptions): Changes {
  const budget = Object.keys(flags).length === 0 ? null : budgetWith(state.task, flags);
  const status = state.finished?.status ?? null;
  const isReopened = retryFailed || (status === 'budget' && budget !== null);
  if (status !== null && status !== 'waiting') refuseEnded(state, status, isReopened);
  return {
    ...(budget === null ? {} : { budget }),
    ...(isReopened ? { reopen: true } : {}),
  };
}

type Status = EventOf<'run.finished'>['status'];

function refuseEnded(state: RunState, status: Status, isReopened: boolean): void {
  const isComplete = status === 'verified' || status === 'unverified' || status === 'planned';
  const isPlanRefused = hasRefusedPlan(state);
  if (isReopened && !isComplete && !isPlanRefused) return;
  const reason = state.finished?.reason ?? '';
  const hint = isComplete
    ? 'Run the task again for another result.'
    : isPlanRefused
      ? 'A supplied plan is never replaced by another: correct it, and run the task again with it.'
      : status === 'budget'
        ? 'Give it more, such as --budget.tokens=100000, or --retry-failed.'
        : 'With --retry-failed what failed or was skipped runs again.';
  throw new OrchestratorError(
    'not_resumable',
    `run ${state.runId} ended ${status} (${reason}): there is nothing to resume`,
    { hint, details: { runId: state.runId, status } },
  );
}

/** Whether a person supplied a plan that was refused: to go on would be to ask a planner for another. */
function hasRefusedPlan({ task, isPlanSupplied, plan, planning }: RunState): boolean {
  return task.mode !== 'agent' && isPlanSupplied && plan === null && planning.rejected !== null;
}
