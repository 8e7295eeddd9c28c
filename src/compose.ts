/*
 * The only composition root: it chooses the implementations behind the ports and hands them to the engine.
 */
import { resolve } from 'node:path';
import { writeFile } from 'node:fs/promises';
import * as zod from 'zod';
import * as authoring from './authoring.ts';
import { type Prepared, type PrepareOptions, prepareTask } from './compose/prepare.ts';
import { reportText } from './critic/report-text.ts';
import type { Failure } from './contracts/failure.ts';
import type { Plan, PlanEstimate, PlanProblem } from './contracts/plan.ts';
import type { Clock, OpenRun, Random, RunStore } from './contracts/ports.ts';
import { listProviders } from './contracts/provider-chain.ts';
import type { Task } from './contracts/task.ts';
import type { Tool } from './contracts/tool.ts';
import { providerSecrets } from './providers/provider-names.ts';
import { beginRun } from './engine/begin.ts';
import type { Driver } from './engine/driver.ts';
import type { EnginePorts } from './engine/ports.ts';
import { type ReplayReport, replay } from './engine/replay.ts';
import { systemClock, systemRandom } from './engine/system-clock.ts';
import type { EventOf, FlightEvent } from './flight/events.ts';
import { FileRunStore, readFlightFile } from './flight/file-store.ts';
import { createMasker } from './flight/mask.ts';
import { MemoryRunStore } from './flight/memory-log.ts';
import { OrchestratorError } from './kernel/errors.ts';
import { formatRunId } from './kernel/ids.ts';
import { outputNode, resultsBehind } from './run/results.ts';
import { type RunResult, toRunResult } from './run/run-result.ts';
import type { RunState } from './run/state.ts';
import * as testing from './testing.ts';
import { acceptResult } from './tools/accept-result.ts';
import type { ExportOptions, ExportResult } from './tracer/otel.ts';

/** What a run is made from; everything but the task may be left out. */
export interface RunOptions extends PrepareOptions {
  /** Text of a reviewed plan: it is run exactly, or refused. */
  readonly plan?: string;
  readonly runId?: string;
  /** Where runs are kept: `.orchestrate/runs` by default, null for in memory. */
  readonly runsFolder?: string | null;
  /** Takes the place of `runsFolder`. */
  readonly store?: RunStore<FlightEvent>;
  /** Its abort ends the run gracefully; the log can be taken up again. */
  readonly signal?: AbortSignal;
  /** Called after each event. */
  readonly onEvent?: (event: FlightEvent, state: RunState) => void;
  /** Answers for a person: called once for each call that waits for approval. */
  readonly approve?: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
  /** Credentials that are masked wherever they would enter the log. */
  readonly secrets?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
}

type ApprovalQuestion = Pick<EventOf<'approval.requested'>, 'node' | 'tool' | 'args'>;
type ApprovalAnswer = Pick<EventOf<'approval.decided'>, 'decision' | 'by' | 'reason'>;

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

const DEFAULT_RUNS_FOLDER = '.orchestrate/runs';

/** Runs a task to its end; throws `task_invalid` and its like before anything runs, and `log_write_failed`. */
export async function orchestrate(options: RunOptions): Promise<RunResult> {
  const prepared = await prepare(options);
  const store = options.store ?? openStore(options.runsFolder);
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const run = await store.create(options.runId ?? formatRunId(clock.now(), random.draw()));
  try {
    const state = await drive(prepared, options, run, clock, random);
    const result = toRunResult(state, run.folder);
    return await writeArtifacts(run, prepared, result);
  } finally {
    await run.log.close();
  }
}

async function drive(
  prepared: Prepared,
  options: RunOptions & { readonly planOnly?: boolean },
  run: OpenRun<FlightEvent>,
  clock: Clock,
  random: Random,
): Promise<RunState> {
  const { task, goal, folder, catalogue, providers } = prepared;
  let driver: Driver | null = null;
  const ports: EnginePorts = {
    providers,
    log: run.log,
    clock,
    random,
    callTool: (name, args, context) => findTool(prepared, name).run(args, context),
    acceptResult: (name, returned) => acceptResult(findTool(prepared, name), returned),
    callCheck: (index, report, state) => callCheck(prepared, index, report, state),
    onEvent: (event, state) => {
      options.onEvent?.(event, state);
      if (event.type === 'approval.requested' && options.approve !== undefined) {
        void askPerson(options.approve, event).then((answer) => driver?.submit(answer));
      }
    },
    mask: createMasker([...(options.secrets ?? []), ...knownSecrets(task, options.env ?? process.env)]),
  };
  const traceparent = options.env?.['TRACEPARENT'];
  const { signal } = options;
  driver = beginRun(
    {
      runId: run.runId,
      task,
      goal,
      workspace: folder,
      ...(options.plan === undefined ? {} : { plan: options.plan }),
      ...(options.planOnly === true ? { planOnly: true } : {}),
      ...(options.approve === undefined ? {} : { attended: true }),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    catalogue,
    ports,
  );
  const cancel = (): void => driver.cancel('interrupted');
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const ended = driver.run();
    if (signal?.aborted === true) cancel();
    return await ended;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

function findTool(prepared: Prepared, name: string): Tool {
  const tool = prepared.tools.find(name);
  if (tool !== undefined) return tool;
  throw new OrchestratorError('tool_unavailable', `there is no tool "${name}" any more`);
}

async function askPerson(
  approve: NonNullable<RunOptions['approve']>,
  { node, tool, args, argsHash }: EventOf<'approval.requested'>,
): Promise<Omit<EventOf<'approval.decided'>, 'seq' | 'at'>> {
  try {
    const { decision, by, reason } = await approve({ node, tool, args });
    return {
      type: 'approval.decided',
      node,
      argsHash,
      decision,
      by,
      ...(reason === undefined ? {} : { reason }),
    };
  } catch (error) {
    const reason = `no answer: ${error instanceof Error ? error.message : String(error)}`;
    return { type: 'approval.decided', node, argsHash, decision: 'denied', by: 'nobody', reason };
  }
}

function callCheck(
  prepared: Prepared,
  index: number,
  report: string,
  state: RunState,
): ReturnType<EnginePorts['callCheck']> {
  const check = prepared.functionChecks.get(index);
  if (check === undefined) throw new OrchestratorError('internal', `there is no function check ${index}`);
  const output = outputNode(state);
  const results = output === undefined ? [] : resultsBehind(state, output);
  return check(report, { inputs: prepared.task.inputs, results });
}

/** Writes what a run leaves beside its log, and `output.file`: a run that is over is not lost because that cannot be written. */
async function writeArtifacts(
  run: OpenRun<FlightEvent>,
  prepared: Prepared,
  result: RunResult,
): Promise<RunResult> {
  const report = result.answer === null ? (result.partial ?? '') : reportText(result.answer);
  await run.writeArtifact('report.md', report);
  await run.writeArtifact('result.json', `${JSON.stringify(result, null, 2)}\n`);
  const { file } = prepared.task.output;
  if (file === undefined || result.answer === null) return result;
  const path = resolve(prepared.folder, file);
  try {
    await writeFile(path, report);
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const exitCode = result.exitCode === 0 ? 1 : result.exitCode;
    return { ...result, exitCode, warnings: [`output.file ${path} could not be written: ${reason}`] };
  }
}

/** Loads and checks everything that a run needs; calls no model and no tool. Throws `task_invalid` with every problem. */
export function prepare(
  options: PrepareOptions & Pick<RunOptions, 'store' | 'runsFolder'>,
): Promise<Prepared> {
  const { store, runsFolder } = options;
  const readRun = (run: string): Promise<readonly FlightEvent[]> =>
    (store ?? openStore(runsFolder)).read(run);
  return prepareTask(options, { virtualModules: userModules() }, readRun);
}

/** Credentials that the environment holds for the providers of a task. */
function knownSecrets(task: Task, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return providerSecrets(
    env,
    listProviders(task).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
  );
}

/** What user modules get for their imports: the running program itself, never a second copy. */
function userModules(): Record<string, unknown> {
  const composed = { exportRun, openRunStore, orchestrate, planTask, prepare, replayRun };
  return { sortie: { ...authoring, ...composed }, 'sortie/testing': testing, zod };
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
  const state = await drive(prepared, { ...options, onEvent, planOnly: true }, run, clock, random);
  return toPlanResult(accepted, state);
}

function toPlanResult(accepted: EventOf<'plan.accepted'> | null, state: RunState): PlanResult {
  if (accepted !== null) {
    const { plan, hash, warnings, estimate } = accepted;
    return { ok: true, plan: plan, hash, warnings, estimate };
  }
  const { reason, failure } = toRunResult(state, null);
  const problems = state.planning.rejected ?? [];
  return { ok: false, problems, reason, ...(failure === undefined ? {} : { failure }) };
}

/** Replays a run, given by id, unique prefix, `last`, or the path of its log, without calling a provider or a tool. */
export async function replayRun(run: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  const events = run.endsWith('.jsonl')
    ? await readFlightFile(run)
    : await (options.store ?? openRunStore(options.runsFolder)).read(run);
  if (events.length === 0) throw new OrchestratorError('log_corrupt', `the log of ${run} holds no event`);
  return replay(events, options.strict);
}

/** The runs kept in a folder; `.orchestrate/runs` below the working folder by default. */
export function openRunStore(runsFolder: string = DEFAULT_RUNS_FOLDER): RunStore<FlightEvent> {
  return new FileRunStore(runsFolder);
}

function openStore(runsFolder: string | null | undefined): RunStore<FlightEvent> {
  return runsFolder === null ? new MemoryRunStore() : openRunStore(runsFolder);
}

/** Sends the spans of a run to an OTLP collector; never throws, and takes no longer than its time limit. */
export async function exportRun(
  events: readonly FlightEvent[],
  options: ExportOptions,
): Promise<ExportResult> {
  const [{ buildSpans }, { exportSpans }] = await Promise.all([
    import('./tracer/spans.ts'),
    import('./tracer/otel.ts'),
  ]);
  return exportSpans(buildSpans(events), options);
}
