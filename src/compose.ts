/*
 * The only composition root: it chooses the implementations behind the ports and hands them to the engine.
 */
import * as zod from 'zod';
import * as authoring from './authoring.ts';
import { type AgentOptions, openAgent } from './compose/agent-open.ts';
import type { AgentSession } from './compose/agent-session.ts';
import { exportRun } from './compose/export-run.ts';
import { forkRecorded, type ForkOptions } from './compose/fork-task.ts';
import { type DrivenRun, driveRun, resultOf } from './compose/drive-run.ts';
import { taskFileOf } from './compose/kept-places.ts';
import {
  catalogueOf,
  type PreparationSources,
  type Prepared,
  type PrepareOptions,
  prepareTask,
} from './compose/prepare.ts';
import { resumeRecorded, type ResumeOptions } from './compose/resume-task.ts';
import { attendanceOf, type OpenedRun, type RunOptions } from './compose/run-options.ts';
import { openRunStore, readRecorded, storeOf } from './compose/stores.ts';
import { writeArtifacts } from './compose/write-artifacts.ts';
import type { Failure } from './contracts/failure.ts';
import type { Plan, PlanEstimate, PlanProblem } from './contracts/plan.ts';
import type { RunStore } from './contracts/ports.ts';
import { beginRun } from './engine/begin.ts';
import { type ReplayReport, replay } from './engine/replay.ts';
import { systemClock, systemRandom } from './engine/system-clock.ts';
import type { EventOf, FlightEvent } from './flight/events.ts';
import { MemoryRunStore } from './flight/memory-log.ts';
import { formatRunId } from './kernel/ids.ts';
import { type RunResult, toRunResult } from './run/run-result.ts';
import type { RunState } from './run/state.ts';
import * as testing from './testing.ts';
import type { ModuleEnvironment } from './tools/load.ts';

export { openRunStore, readRecorded } from './compose/stores.ts';
export { exportReplay } from './compose/export-replay.ts';
export { type CheckedOrigin, checkOwnTools } from './compose/own-pins.ts';
export { makeFolder, realDisk } from './flight/disk.ts';
export { findProcessHold } from './tools/control-groups.ts';
export { findSandbox } from './tools/sandbox/find-sandbox.ts';
export { findTaskBound } from './tools/sandbox/task-limit.ts';
export { formatTrace } from './compose/format-trace.ts';
export { isTelemetryWanted } from './tracer/otlp-target.ts';
export { parseAnswer } from './contracts/asked-answer.ts';
export { answerFromPage } from './compose/answer-page.ts';
export { answerQuestion, listQuestions } from './compose/questions.ts';
export { redactSecrets } from './kernel/redact-secrets.ts';
export { previewResume } from './compose/resume-task.ts';
export { exportLog, importLog } from './compose/transfer-run.ts';
export { verifyLog } from './compose/verify-log.ts';
export { readExchanges } from './compose/session-reading.ts';
export { readTranscript } from './compose/session-record.ts';
export { openSessions, resolveSession, tipOf } from './compose/sessions.ts';
export { exportRun };

/** A plan that was drawn and accepted, or why there is none. */
export type PlanResult =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly hash: string;
      readonly warnings: readonly PlanProblem[];
      readonly estimate: PlanEstimate;
    }
  | {
      readonly ok: false;
      readonly problems: readonly PlanProblem[];
      readonly reason: string;
      readonly failure?: Failure;
    };

/** Where a replayed run is found, and how strictly it is compared. */
export interface ReplayOptions {
  readonly runsFolder?: string;
  readonly store?: RunStore<FlightEvent>;
  /** Makes a changed prompt a divergence. */
  readonly strict?: boolean;
}

/** Runs a task to its end; throws `task_invalid` and its like before anything runs, and `log_write_failed`. */
export async function orchestrate(options: RunOptions): Promise<RunResult> {
  const prepared = await prepare(options);
  // Where a server cannot be had there is no run.
  await prepared.live?.open(options, planOf(options));
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const creating = storeOf(options).create(options.runId ?? formatRunId(clock.now(), random.draw()));
  const run = await creating.catch(async (error: unknown) => {
    await prepared.live?.close();
    throw error;
  });
  try {
    const driven = await drive(prepared, options, { run, clock, random });
    return await writeArtifacts(run, prepared, resultOf(driven, run.folder));
  } finally {
    await run.log.close();
  }
}

function drive(
  prepared: Prepared,
  options: RunOptions & { readonly planOnly?: boolean },
  opened: OpenedRun,
): Promise<DrivenRun> {
  const { task, goal, folder } = prepared;
  const started = {
    runId: opened.run.runId,
    task,
    goal,
    workspace: folder,
    ...taskFileOf(prepared),
    ...planOf(options),
    ...(options.planOnly === true ? { planOnly: true } : {}),
    ...attendanceOf(options),
  };
  return driveRun(prepared, options, { ...opened, ...planOf(options) }, (ports) =>
    beginRun(started, catalogueOf(prepared), ports),
  );
}

function planOf({ plan }: RunOptions): Pick<RunOptions, 'plan'> {
  return plan === undefined ? {} : { plan };
}

/**
 * Takes up a run that ended early, waits, stopped for its budget or whose process died, and goes on to the same end;
 * throws `not_resumable` where nothing is left to do, `run_locked` where another process holds it.
 */
export function resumeTask(run: string, options: ResumeOptions = {}): Promise<RunResult> {
  return resumeRecorded(run, options, sourcesOf(options));
}

/**
 * Opens a session with an agent: `chat(text)` gives its answer, `run({ message })` messages and usage too. Each session is
 * a run of its own, which `session` takes up again. Throws `task_invalid`, `run_not_found`, `run_locked`, `not_resumable`.
 */
export function createAgent(options: AgentOptions): Promise<AgentSession> {
  return openAgent(options, sourcesOf(options));
}

/** Begins a new run with the events of another up to some point, and goes on from there; what came before is not paid again. */
export function forkTask(run: string, options: ForkOptions = {}): Promise<RunResult> {
  return forkRecorded(run, options, sourcesOf(options));
}

/** Loads and checks everything that a run needs; calls no model and no tool. Throws `task_invalid` with every problem. */
export function prepare(
  options: PrepareOptions & Pick<RunOptions, 'store' | 'runsFolder'>,
): Promise<Prepared> {
  return prepareTask(options, sourcesOf(options));
}

function sourcesOf(options: Pick<RunOptions, 'store' | 'runsFolder'>): PreparationSources {
  return { modules: userModules(), readRun: (run) => storeOf(options).read(run) };
}

/** What user modules get for their imports: the running program itself, never a second copy. */
function userModules(): ModuleEnvironment {
  const composed = {
    createAgent,
    exportRun,
    forkTask,
    openRunStore,
    orchestrate,
    planTask,
    prepare,
    replayRun,
    resumeTask,
  };
  return { virtualModules: { sortie: { ...authoring, ...composed }, 'sortie/testing': testing, zod } };
}

/** Draws and checks a plan, in memory; no tool is called. */
export async function planTask(options: RunOptions): Promise<PlanResult> {
  const prepared = await prepare(options);
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const run = await new MemoryRunStore().create(formatRunId(clock.now(), random.draw()));
  let accepted: EventOf<'plan.accepted'> | null = null;
  const onEvent = (event: FlightEvent, state: RunState): void => {
    if (event.type === 'plan.accepted') accepted = event;
    options.onEvent?.(event, state);
  };
  const { state } = await drive(prepared, { ...options, onEvent, planOnly: true }, { run, clock, random });
  return toPlanResult(accepted, state);
}

function toPlanResult(accepted: EventOf<'plan.accepted'> | null, state: RunState): PlanResult {
  if (accepted !== null) {
    const { plan, hash, warnings, estimate } = accepted;
    return { ok: true, plan: plan, hash, warnings, estimate };
  }
  const { reason, failure } = state.finished === null ? INTERRUPTED : toRunResult(state, null);
  const problems = state.planning.rejected ?? [];
  return { ok: false, problems, reason, ...(failure === undefined ? {} : { failure }) };
}

/** A plan is drawn in memory, so that there is nothing to go on from. */
const INTERRUPTED = {
  reason: 'interrupted before a plan was accepted; nothing is kept of it',
  failure: {
    code: 'aborted',
    class: 'PERMANENT',
    message: 'interrupted before a plan was accepted; nothing is kept of it',
  },
} as const;

/** Replays a run, given by id, unique prefix, `last`, or the path of its log, without calling a provider or a tool. */
export async function replayRun(run: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  const store = options.store ?? openRunStore(options.runsFolder);
  return replay(await readRecorded(run, store), options.strict);
}
