import { schemaIssues } from '../contracts/schema.ts';
import type { Task } from '../contracts/task.ts';
import { forkRun } from '../engine/begin.ts';
import { systemClock, systemRandom } from '../engine/system-clock.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { hashJson } from '../kernel/hash.ts';
import { formatRunId } from '../kernel/ids.ts';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../kernel/json.ts';
import { foldEvents } from '../run/evolve.ts';
import { resolveNodeArgs } from '../run/node-args.ts';
import type { NodeState } from '../run/node-state.ts';
import type { RunResult } from '../run/run-result.ts';
import type { RunState } from '../run/state.ts';
import { budgetWith } from './budget-flags.ts';
import { checkRunOptions } from './check-options.ts';
import { driveRun, resultOf } from './drive-run.ts';
import { catalogueOf, type PreparationSources } from './prepare.ts';
import { prepareRecorded } from './prepare-recorded.ts';
import { foldRecorded } from './resume-preview.ts';
import type { ResumeOptions } from './resume-task.ts';
import { attendanceOf } from './run-options.ts';
import { storeOf } from './stores.ts';
import { writeArtifacts } from './write-artifacts.ts';

/** Where a fork leaves the run that it comes from, and what is different from there. */
export interface ForkOptions extends Omit<ResumeOptions, 'retryFailed'> {
  /** A node, before whose start the fork leaves, or the number of the last event taken over; before the first plan by default. */
  readonly at?: string;
  /** Arguments by `node.args.path`, each with a value as JSON; what is no JSON is a text. */
  readonly set?: Readonly<Record<string, string>>;
  readonly goal?: string;
  /** The provider by name or module, in the place of the recorded one. */
  readonly providerName?: string;
  readonly runId?: string;
}

/** Forks a recorded run; throws `usage` for a place or an argument that is none. */
export async function forkRecorded(
  name: string,
  options: ForkOptions,
  sources: PreparationSources,
): Promise<RunResult> {
  checkRunOptions(options);
  const store = storeOf(options);
  const origin = await store.resolve(name);
  const whole = await store.read(origin);
  foldRecorded(whole);
  const events = whole.slice(0, placeOf(whole, options.at) + 1);
  const state = foldEvents(events);
  const overrides = overridesOf(state, options);
  const provider = overrides.provider as Task['provider'] | undefined;
  const changed = provider === undefined ? state.task : { ...state.task, provider };
  const prepared = await prepareRecorded(
    { ...state, task: changed, goal: overrides.goal ?? state.goal },
    options,
    sources,
  );
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const run = await store.create(options.runId ?? formatRunId(clock.now(), random.draw()));
  try {
    const forked = {
      runId: run.runId,
      origin,
      sequence: events.length - 1,
      hash: hashJson(events as unknown as Json),
      ...attendanceOf(options),
      overrides: { ...overrides, ...(provider === undefined ? {} : { prices: prepared.task.prices }) },
    };
    const ended = await driveRun(prepared, options, { run, clock, random, before: events }, (ports) =>
      forkRun(events, forked, ports, catalogueOf(prepared)),
    );
    return await writeArtifacts(run, prepared, resultOf(ended, run.folder));
  } finally {
    await run.log.close();
  }
}

/** Sequence of the last event that a fork takes over. */
function placeOf(events: readonly FlightEvent[], at: string | undefined): number {
  if (at === undefined)
    return before(events.findIndex(({ type }) => type === 'model.requested' || type === 'plan.accepted'));
  const begins = events.findIndex(
    (event) =>
      (event.type === 'node.started' ||
        event.type === 'hooks.requested' ||
        event.type === 'approval.requested' ||
        event.type === 'node.expanded') &&
      event.node === at,
  );
  if (begins >= 0) return before(begins);
  const sequence = /^\d+$/.test(at) ? Number(at) : -1;
  if (sequence >= 1 && sequence < events.length) return sequence;
  throw new OrchestratorError(
    'usage',
    `--at ${at}: no node that began, and no event from 1 to ${events.length - 1}`,
    {
      hint: '`orchestrate show` lists the nodes of the run.',
    },
  );
}

/** Never before the catalogue: a run begins with its configuration and its tools. */
function before(index: number): number {
  return Math.max(1, index - 1);
}

function overridesOf(state: RunState, options: ForkOptions): EventOf<'run.forked'>['overrides'] {
  const { goal, providerName, flags = {}, set = {} } = options;
  const args = amendments(state, set);
  return {
    ...(goal === undefined ? {} : { goal }),
    ...(providerName === undefined ? {} : { provider: providerName satisfies Task['provider'] }),
    ...(Object.keys(flags).length === 0 ? {} : { budget: budgetWith(state.task, flags) }),
    ...(args.length === 0 ? {} : { args }),
  };
}

function amendments(
  state: RunState,
  set: Readonly<Record<string, string>>,
): { node: string; args: JsonObject }[] {
  const changed = new Map<string, JsonObject>();
  for (const [path, text] of Object.entries(set)) {
    const [, id = '', steps = ''] = /^(.+?)\.args\.(.+)$/.exec(path) ?? [];
    const node = state.nodes.get(id);
    if (node === undefined)
      throw notSettable(
        path,
        id === '' ? 'expected node.args.name=value' : `there is no node ${id} at this place`,
      );
    const args = changed.get(id) ?? currentArgs(state, node, path);
    changed.set(id, withValue(args, steps.split('.'), readValue(text)));
  }
  for (const [id, args] of changed) {
    const [issue] = schemaIssues(state.nodes.get(id)?.tool.input ?? true, args);
    if (issue !== undefined) throw notSettable(`${id}.args`, `${issue.pointer}: ${issue.message}`);
  }
  return [...changed].map(([node, args]) => ({ node, args }));
}

function currentArgs(state: RunState, node: NodeState, path: string): JsonObject {
  if (node.status === 'done') throw notSettable(path, `${node.id} is done at this place`);
  if (node.plan.foreach !== undefined && node.parent === null)
    throw notSettable(path, `${node.id} runs once per item`);
  if (node.unsettled > 0)
    throw notSettable(path, `${node.id} waits for others at this place, so its arguments are not known yet`);
  const resolved = resolveNodeArgs(state, node);
  if (!resolved.ok || !isJsonObject(resolved.args))
    throw notSettable(path, `the arguments of ${node.id} cannot be known`);
  return resolved.args;
}

function withValue(target: JsonObject, [step = '', ...rest]: readonly string[], value: Json): JsonObject {
  const changed: Record<string, Json> = { ...target };
  const inner = Object.hasOwn(target, step) ? target[step] : undefined;
  setOwn(changed, step, rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value));
  return changed;
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function notSettable(path: string, problem: string): OrchestratorError {
  return new OrchestratorError('usage', `--set ${path}: ${problem}`, {
    hint: 'Such as --at report --set report.args.title="Three cities".',
  });
}
