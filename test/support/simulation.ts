/*
 * A run that is drawn from a seed: its plan, how long everything takes, what fails, and when its process dies. Time is
 * virtual, the log is in memory; nothing comes from the machine, so the same seed gives the same log.
 */
import type { Clock } from '../../src/contracts/ports.ts';
import { taskSchema } from '../../src/contracts/task.ts';
import type { Tool, ToolContext } from '../../src/contracts/tool.ts';
import { beginRun, resumeRun } from '../../src/engine/begin.ts';
import type { Driver } from '../../src/engine/driver.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { ToolError } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { foldEvents } from '../../src/run/evolve.ts';
import type { RunState } from '../../src/run/state.ts';
import { ManualClock } from '../../src/testing.ts';
import { acceptResult } from '../../src/tools/accept-result.ts';
import { Catalogue } from '../../src/tools/catalogue.ts';
import { answer, echoTool, plan } from './core.ts';
import { seededRandom } from './seeded-random.ts';
import { SimulatedLog } from './simulated-log.ts';

/** What a simulation came to. */
export interface Simulation {
  readonly state: RunState;
  readonly events: readonly FlightEvent[];
  /** How often each irreversible node acted. */
  readonly acted: ReadonlyMap<string, number>;
  readonly mostRunning: number;
  readonly crashes: number;
}

/** What becomes of an attempt, by the draw of its node: it holds, fails once and then holds, or is not to be had. */
type Fate = 'holds' | 'retried' | 'lost';

interface World {
  readonly tools: readonly Tool[];
  readonly plan: Json;
  readonly concurrency: number;
  readonly walk: 'level' | 'eager';
  readonly acted: Map<string, number>;
  readonly running: { now: number; most: number };
  /** The process that lives: what a dead one had under way acts no more. */
  process: { readonly clock: Clock; readonly draw: () => number; isAlive: boolean };
}

/** Runs a seed; with `isCalm` nothing crashes. */
export async function simulate(seed: number, isCalm = false): Promise<Simulation> {
  const draw = seededRandom(seed);
  const world = drawWorld(draw);
  const chance = seededRandom(seed ^ 0x5bd1e995);
  const books = (): Pick<Simulation, 'acted' | 'mostRunning'> => ({
    acted: world.acted,
    mostRunning: world.running.most,
  });
  let crashes = 0;
  let recorded: readonly FlightEvent[] = [];
  for (let startMs = 1_000_000; ; startMs += (chance() - 0.3) * 1e7) {
    const dies = !isCalm && crashes < 4 && chance() < 0.8;
    const lifetime = dies ? Math.floor(chance() * 40) : Infinity;
    const ended = await live(world, recorded, lifetime, startMs, seededRandom(seed + crashes));
    if (ended.state !== null) {
      return { ...books(), state: ended.state, events: ended.log.events, crashes };
    }
    crashes++;
    recorded = ended.log.crash(chance());
    // It died after its end was on disk: there is nothing to take up.
    if (recorded.at(-1)?.type === 'run.finished') {
      return { ...books(), state: foldEvents(recorded), events: recorded, crashes };
    }
  }
}

/** One process: it goes on from what was recorded until the run ends, or it has seen `lifetime` events. */
async function live(
  world: World,
  recorded: readonly FlightEvent[],
  lifetime: number,
  startMs: number,
  draw: () => number,
): Promise<{ state: RunState | null; log: SimulatedLog }> {
  const clock = new ManualClock(startMs);
  const log = new SimulatedLog(recorded, clock, draw);
  const life = { clock, draw, isAlive: true };
  world.process = life;
  world.running.now = 0;
  let driver: Driver | null = null;
  let left = lifetime;
  // A process that takes a run up asks again what is open.
  const asked = new Set<number>();
  let crash: (state: null) => void = () => undefined;
  const crashed = new Promise<null>((resolve) => {
    crash = resolve;
  });
  const ports = portsOf(world, log, clock, draw, (_, state) => {
    for (const question of life.isAlive ? state.questions.values() : []) {
      if (asked.has(question.seq)) continue;
      asked.add(question.seq);
      clock.setTimer(draw() * 50, () => {
        driver?.submitFrom((now) =>
          now.questions.get(question.node)?.seq === question.seq ? [decide(world, question)] : [],
        );
      });
    }
    if (--left > 0 || state.finished !== null) return;
    life.isAlive = false;
    crash(null);
  });
  driver = start(world, recorded, ports);
  return { state: await clock.runUntil(Promise.race([driver.run(), crashed])), log };
}

function start(world: World, recorded: readonly FlightEvent[], ports: EnginePorts): Driver {
  const attended = { attended: true };
  if (recorded.length > 0)
    return resumeRun(recorded, attended, ports, new Catalogue(world.tools).publish(POLICY));
  const task = taskSchema.parse({
    ...{ name: 'simulated', goal: 'Reach the goal.', tools: ['given'], provider: 'given' },
    ...{ concurrency: world.concurrency, walk: world.walk, verify: { judge: 'off' } },
    limits: { replans: 0 },
  });
  const started = { runId: 'simulated', task, goal: task.goal, workspace: '/', ...attended };
  return beginRun(started, new Catalogue(world.tools).publish(task.policy), ports);
}

const POLICY = taskSchema.parse({ name: 'n', goal: 'g', tools: ['t'], provider: 'p' }).policy;

/** A person who consents, and says what is true of a call in doubt. */
function decide(
  world: World,
  { node, argsHash, question }: Extract<FlightEvent, { type: 'approval.requested' }>,
): Extract<Parameters<Driver['submit']>[0], { type: 'approval.decided' }> {
  const isDone = question === 'in_doubt' && (world.acted.get(node) ?? 0) > 0;
  return {
    ...{ type: 'approval.decided', node, argsHash, by: 'test' },
    ...(isDone ? { decision: 'done', value: node } : { decision: 'approved' }),
  };
}

function portsOf(
  world: World,
  log: SimulatedLog,
  clock: Clock,
  draw: () => number,
  onEvent: NonNullable<EnginePorts['onEvent']>,
): EnginePorts {
  const catalogue = new Catalogue(world.tools);
  const find = (name: string): Tool => {
    const tool = catalogue.find(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  const provider = {
    name: 'given',
    complete: () => wait(clock, 1 + draw() * 20, () => answer(JSON.stringify(world.plan))),
  };
  return {
    providers: new Map([['given', provider]]),
    callTool: (name, args, context) => find(name).run(args, context),
    acceptResult: (name, returned) => acceptResult(find(name), returned),
    callCheck: () => Promise.reject(new Error('no checks')),
    log,
    clock,
    random: { draw },
    onEvent,
  };
}

function wait<T>(clock: Clock, delayMs: number, action: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    clock.setTimer(delayMs, () => {
      try {
        resolve(action());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function drawWorld(draw: () => number): World {
  const count = 3 + Math.floor(draw() * 12);
  const fates = new Map<string, Fate>();
  const nodes = Array.from({ length: count }, (_, index) => {
    const id = `n${index}`;
    const chance = draw();
    fates.set(id, chance < 0.72 ? 'holds' : chance < 0.92 ? 'retried' : 'lost');
    const effect = draw();
    const tool = effect < 0.6 ? 'read' : effect < 0.8 ? 'write' : 'send';
    const isLast = index === count - 1;
    const deps = Array.from({ length: index }, (_each, dep) => `n${dep}`).filter(() => draw() < 1.5 / count);
    return { id, tool, args: { value: id }, deps, ...(!isLast && draw() < 0.3 ? { optional: true } : {}) };
  });
  const world: World = {
    tools: [],
    plan: plan(...nodes),
    concurrency: 1 + Math.floor(draw() * 4),
    walk: draw() < 0.5 ? 'level' : 'eager',
    acted: new Map(),
    running: { now: 0, most: 0 },
    process: { clock: new ManualClock(), draw, isAlive: false },
  };
  const run = (args: Json, context: ToolContext, isCounted: boolean): Promise<Json> => {
    const { value: id } = args as { value: string };
    const { clock, draw: drawn } = world.process;
    const life = world.process;
    world.running.now++;
    world.running.most = Math.max(world.running.most, world.running.now);
    return wait(clock, drawn() * 30, () => {
      if (isCounted && life.isAlive && fates.get(id) !== 'lost')
        world.acted.set(id, (world.acted.get(id) ?? 0) + 1);
    }).then(() =>
      wait(clock, drawn() * 30, () => {
        if (life.isAlive) world.running.now--;
        if (fates.get(id) === 'lost') throw new ToolError('MISSING_INFO', 'not to be had');
        if (!isCounted && fates.get(id) === 'retried' && context.key === `${id}/1`)
          throw new ToolError('TRANSIENT', 'busy');
        return id;
      }),
    );
  };
  return {
    ...world,
    tools: [
      echoTool('read', { run: (args, context) => run(args, context, false) }),
      echoTool('write', {
        effect: 'write',
        idempotent: true,
        run: (args, context) => run(args, context, false),
      }),
      echoTool('send', { effect: 'irreversible', run: (args, context) => run(args, context, true) }),
    ],
    get process() {
      return world.process;
    },
    set process(life) {
      world.process = life;
    },
  };
}
