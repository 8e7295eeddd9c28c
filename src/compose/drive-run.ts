import { permitsOf } from '../contracts/policy/judge-arguments.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Driver } from '../engine/driver.ts';
import type { EnginePorts } from '../engine/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { outputNode, resultsBehind } from '../run/results.ts';
import { type RunResult, toRunResult } from '../run/run-result.ts';
import type { RunState } from '../run/state.ts';
import { acceptResult } from '../tools/accept-result.ts';
import { BUILTIN_ORIGIN } from '../tools/builtin/names.ts';
import { ROOT_KEY } from '../tracer/span-segment.ts';
import { AgentHome } from './agent-home.ts';
import { AskPeople } from './ask-people.ts';
import { chooseRunMemory } from './choose-run-memory.ts';
import { InboxWatch } from './inbox-watch.ts';
import { keptPlaces } from './kept-places.ts';
import { MaskedDeltas } from './masked-deltas.ts';
import { reportOwnTools } from './own-pins.ts';
import type { Prepared } from './prepare.ts';
import type { DriveOptions, OpenedRun } from './run-options.ts';
import { fillShelf } from './fill-shelf.ts';
import { RunProcesses } from './run-processes.ts';
import { runHooks } from './task-hooks.ts';
import { openRunTrace } from './run-trace.ts';

/** A run that was driven to its end, or to an interruption, and what went wrong after that. */
export interface DrivenRun {
  readonly state: RunState;
  readonly warnings: readonly string[];
}

/** The result of a run that was driven. */
export function resultOf({ state, warnings }: DrivenRun, folder: string | null): RunResult {
  return { ...toRunResult(state, folder), ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Drives a run to its end, or to an interruption, from the driver that `begin` makes of the ports. */
export async function driveRun(
  prepared: Prepared,
  options: DriveOptions,
  opened: OpenedRun,
  begin: (ports: EnginePorts) => Driver,
): Promise<DrivenRun> {
  const driven = await driveWithServers(prepared, options, opened, begin);
  const notes = [
    ...(prepared.live === null ? prepared.quarantined : []).map(
      ({ tool, reason }) => `${tool} cannot be called: ${reason}`,
    ),
    ...(await reportOwnTools(prepared, options)),
  ];
  return { ...driven, warnings: prepared.credentials.mask([...driven.warnings, ...notes]) };
}

async function driveWithServers(
  prepared: Prepared,
  options: DriveOptions,
  opened: OpenedRun,
  begin: (ports: EnginePorts) => Driver,
): Promise<DrivenRun> {
  const { live } = prepared;
  if (live === null) return driveOpened(prepared, options, opened, begin);
  try {
    await live.open(options, opened);
    const driven = await driveOpened(prepared, options, opened, (ports) => {
      const driver = begin(ports);
      live.follow((published) => {
        driver.submit({ type: 'catalogue.published', ...published });
      });
      return driver;
    });
    return { ...driven, warnings: [...live.warnings, ...driven.warnings] };
  } finally {
    await live.close();
  }
}

async function driveOpened(
  prepared: Prepared,
  options: DriveOptions,
  { run, clock, random, before = [], starts }: OpenedRun,
  begin: (ports: EnginePorts) => Driver,
): Promise<DrivenRun> {
  let driver: Driver | null = null;
  const people = new AskPeople(options, () => driver);
  const inbox = new InboxWatch(run, () => driver);
  const processes = new RunProcesses();
  const { credentials } = prepared;
  const deltas = options.onDelta === undefined ? null : new MaskedDeltas(credentials, options.onDelta);
  credentials.add(...(options.secrets ?? []));
  const memory = await chooseRunMemory(prepared, options);
  for (const event of before) memory?.follow(event);
  fillShelf(prepared.shelf, memory, before);
  const trace = await openRunTrace(options, { runId: run.runId, agent: prepared.task.name, before });
  const hooks = runHooks([prepared.hooks, options.hooks], run.runId, (name) => findTool(prepared, name));
  const home = new AgentHome(prepared, options, memory);
  const ports: EnginePorts = {
    agents: home,
    ...(memory === null ? {} : { memory }),
    providers: prepared.providers,
    log: run.log,
    clock,
    random,
    callTool: (name, args, context) =>
      trace.within(context.key, () => findTool(prepared, name).run(args, context)),
    acceptResult: (name, returned) => acceptResult(findTool(prepared, name), returned),
    permits: permitsOf(prepared.task.policy),
    kept: hasBuiltin(prepared) ? await keptPlaces(prepared, options, { run, before }) : undefined,
    ...(hooks === undefined ? {} : { hooks }),
    spawn: (request) => processes.spawn(request),
    callCheck: (index, report, state) => callCheck(prepared, index, report, state),
    onEvent: (event, state) => {
      memory?.follow(event);
      home.follow(event, state);
      trace.follow(event, state);
      people.follow(state);
      inbox.follow(state);
      deltas?.follow(event);
      options.onEvent?.(event, state);
    },
    ...(deltas === null ? {} : { onDelta: deltas.add }),
    mask: credentials.mask,
    trace,
  };
  const { signal } = options;
  const made = begin(ports);
  driver = made;
  const cancel = (): void => made.cancel('interrupted');
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    if (starts !== undefined) await starts;
    const ended = trace.within(ROOT_KEY, () => made.run());
    if (signal?.aborted === true) cancel();
    const state = await ended;
    // A session is remembered exchange by exchange.
    const warnings = state.session === null ? ((await memory?.remember(state)) ?? []) : [];
    return { state, warnings: [...(await home.settled()), ...warnings] };
  } finally {
    await processes.close();
    await home.settled();
    await memory?.close();
    inbox.close();
    trace.end();
    signal?.removeEventListener('abort', cancel);
  }
}

function findTool(prepared: Prepared, name: string): Tool {
  const tool = prepared.tools.find(name);
  if (tool !== undefined) return tool;
  throw new OrchestratorError('tool_unavailable', `there is no tool "${name}" any more`);
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

/** Only tools of this package can be kept from anything. */
function hasBuiltin({ tools }: Prepared): boolean {
  return tools.names().some((name) => tools.find(name)?.origin === BUILTIN_ORIGIN);
}
