import { agentTaskSchema } from '../contracts/agent-task.ts';
import type { Task } from '../contracts/task.ts';
import type { OpenRun } from '../contracts/ports.ts';
import { beginRun, resumeRun } from '../engine/begin.ts';
import type { Driver } from '../engine/driver.ts';
import type { EnginePorts } from '../engine/ports.ts';
import { systemClock, systemRandom } from '../engine/system-clock.ts';
import type { FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { formatRunId } from '../kernel/ids.ts';
import type { AgentCallbacks } from './agent-callbacks.ts';
import { AgentSession } from './agent-session.ts';
import { type Authorise, authoriseBy } from './authorise.ts';
import { budgetWith } from './budget-flags.ts';
import { driveRun } from './drive-run.ts';
import { taskFileOf } from './kept-places.ts';
import { logPosted } from './log-posted.ts';
import { quarantineChanged } from './own-pins.ts';
import { clarifying, clarifyTool, type SearchSessions, sessionSearchTool } from './own-tools.ts';
import {
  catalogueOf,
  type PreparationSources,
  type Prepared,
  prepareTask,
  type TaskValue,
} from './prepare.ts';
import { prepareRecorded } from './prepare-recorded.ts';
import { checkRunOptions } from './check-options.ts';
import { foldRecorded } from './resume-preview.ts';
import { attendanceOf, type DriveOptions, type RunOptions } from './run-options.ts';
import { searchSessions } from './sessions.ts';
import { storeOf } from './stores.ts';

/** What an agent is made from. */
export interface AgentOptions extends Omit<RunOptions, 'task' | 'plan'>, AgentCallbacks {
  /** The task whose tools, provider, budget and policy it works with; without one, `tools` and `provider` say that. */
  readonly task?: string | TaskValue;
  /** Id (or its beginning, or `last`) of a session that is gone on with; its task is the recorded one, but for limits of its budget among `flags`. */
  readonly session?: string;
  /** Answers questions about calls as a person types them: `y`, `y -N`, `n`, or text for the agent. */
  readonly authorise?: Authorise;
  /** Who is noted as the one who answered. */
  readonly by?: string;
  /** Calls that are made without asking at first, irreversible ones excepted. */
  readonly continuous?: number;
  /** How earlier sessions are searched; by the index of the runs where not given. */
  readonly searchSessions?: SearchSessions;
}

/** Opens a session with an agent, a new one or one that is gone on with. */
export async function openAgent(options: AgentOptions, sources: PreparationSources): Promise<AgentSession> {
  checkRunOptions(options);
  const store = storeOf(options);
  const drive = driveOptions(options);
  let own = '';
  const ownTools = [
    ...(drive.approve === undefined ? [] : [clarifyTool]),
    sessionSearchTool(options.searchSessions ?? searchSessions(options, store, () => own)),
  ];
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  if (options.session !== undefined) {
    const run = await store.open(options.session);
    own = run.runId;
    return closingOnError(run, async () => {
      const before = await logPosted(run, options.env);
      const recorded = foldRecorded(before);
      if (recorded.session === null) throw notSession(run.runId);
      const { flags = {} } = options;
      const changes = Object.keys(flags).length === 0 ? {} : { budget: budgetWith(recorded.task, flags) };
      const prepared = quarantineChanged(
        await prepareRecorded(recorded, { ...options, ownTools }, sources),
        before,
        options.tools,
      );
      const { current, received } = recorded.session;
      const isOpen = current !== null && recorded.crew.get(current)?.phase !== 'ended';
      const open = isOpen ? [current] : received.length > 0 ? [null] : [];
      return start(
        run,
        options,
        { prepared, drive, opened: { run, clock, random, before } },
        (ports) =>
          resumeRun(
            before,
            { session: true, ...changes, ...attendanceOf(drive) },
            ports,
            catalogueOf(prepared),
          ),
        open,
      );
    });
  }
  const prepared = await prepareTask({ ...options, task: withDefaults(options), ownTools }, sources);
  const run = await store.create(options.runId ?? formatRunId(clock.now(), random.draw()));
  own = run.runId;
  return closingOnError(run, () =>
    Promise.resolve(
      start(run, options, { prepared, drive, opened: { run, clock, random, isSession: true } }, (ports) =>
        beginRun(
          {
            ...{ runId: run.runId, task: continuously(prepared.task, options), goal: prepared.goal },
            ...{ workspace: prepared.folder, ...taskFileOf(prepared), session: true as const },
            ...attendanceOf(drive),
          },
          catalogueOf(prepared),
          ports,
        ),
      ),
    ),
  );
}

interface Parts {
  readonly prepared: Prepared;
  readonly drive: DriveOptions;
  readonly opened: Parameters<typeof driveRun>[2];
}

function start(
  run: OpenRun<FlightEvent>,
  options: AgentOptions,
  { prepared, drive, opened }: Parts,
  begin: (ports: EnginePorts) => Driver,
  open: readonly (string | null)[] = [],
): Promise<AgentSession> {
  const session = new AgentSession(run.runId, run.folder, options);
  return new Promise((resolve, reject) => {
    const onEvent: NonNullable<DriveOptions['onEvent']> = (event, state) => {
      session.follow(event, state);
      options.onEvent?.(event, state);
    };
    // Whoever awaits the session has it before anything of it goes on.
    let letGo: () => void = () => undefined;
    const starts = new Promise<void>((begun) => (letGo = begun));
    const ended = driveRun(prepared, { ...drive, onEvent }, { ...opened, starts }, (ports) => {
      const driver = begin(ports);
      for (const key of open) session.awaitOpen(key);
      session.take(driver);
      resolve(session);
      setImmediate(letGo);
      return driver;
    }).finally(() => run.log.close());
    session.endWith(ended);
    ended.catch(reject);
  });
}

function driveOptions(options: AgentOptions): DriveOptions {
  const { authorise, approve, by = 'person', onClarify, onStreamDelta, onDelta, ...rest } = options;
  const others = authorise === undefined ? approve : authoriseBy(authorise, by);
  const answering = onClarify === undefined ? others : clarifying(onClarify, others, by);
  return {
    ...rest,
    ...(answering === undefined ? {} : { approve: answering }),
    onDelta: (delta) => {
      onStreamDelta?.(delta);
      onDelta?.(delta);
    },
  };
}

/** A task of its own for whoever brings tools and provider alone. */
function withDefaults({ task }: AgentOptions): string | TaskValue {
  return task ?? { name: 'chat', goal: 'Do what the person asks.', verify: { judge: 'off' }, mode: 'agent' };
}

function continuously(task: Task, { continuous }: AgentOptions): Task {
  if (continuous === undefined) return task;
  const agent = agentTaskSchema.parse({ ...task.agent, authorised: continuous });
  return { ...task, agent };
}

async function closingOnError(
  run: OpenRun<FlightEvent>,
  open: () => Promise<AgentSession>,
): Promise<AgentSession> {
  try {
    return await open();
  } catch (error) {
    await run.log.close();
    throw error;
  }
}

function notSession(runId: string): OrchestratorError {
  return new OrchestratorError('not_resumable', `run ${runId} is no session with an agent`, {
    hint: `\`orchestrate resume ${runId}\` goes on with a run.`,
  });
}
