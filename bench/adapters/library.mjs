// The built library, called in this process as a program would call it, with stores and clocks of our own.

import { startTimer } from '../timer.mjs';

/**
 * @typedef {import('../../src/contracts/ports.ts').Clock} Clock
 * @typedef {import('../../src/contracts/ports.ts').RunStore<FlightEvent>} RunStore
 * @typedef {import('../../src/contracts/tool.ts').ToolEffect} ToolEffect
 * @typedef {import('../../src/flight/events.ts').FlightEvent} FlightEvent
 * @typedef {import('../../src/run/state.ts').RunState} RunState
 */

/**
 * How a plan is run: `run` is what its tool does, `store` where the log goes (memory where none is given).
 * @typedef {{ run: import('../adapter.mjs').RunTask, walk: 'level' | 'eager', concurrency: number,
 *   effect?: ToolEffect, store?: RunStore | undefined, clock?: Clock }} RunOptions
 * @typedef {{ events: readonly FlightEvent[], state: RunState, walkMs: number,
 *   walk: import('../timer.mjs').Elapsed }} PlanRun the walk is from the accepted plan to the end; `walkMs` is its length
 *   by the clock of the run
 */

const dist = new URL('../../dist/', import.meta.url);

/**
 * A module of the built library.
 * @param {string} path
 * @returns {Promise<any>}
 */
const load = (path) => import(new URL(path, dist).href);

/** @type {typeof import('../../src/index.ts')} */
const { defineTool, orchestrate } = await load('index.js');
/** @type {typeof import('../../src/flight/file-store.ts')} */
const { FileRunStore } = await load('flight/file-store.js');
/** @type {typeof import('../../src/flight/disk.ts')} */
const { realDisk } = await load('flight/disk.js');
/** @type {typeof import('../../src/flight/memory-log.ts')} */
const { MemoryRunStore } = await load('flight/memory-log.js');
/** @type {typeof import('../../src/engine/manual-clock.ts')} */
const { ManualClock } = await load('engine/manual-clock.js');

export { ManualClock };

const INDEX_SCHEMA = {
  type: 'object',
  properties: { index: { type: 'integer', minimum: 0 } },
  required: ['index'],
  additionalProperties: false,
};

/**
 * The text of a plan of no-op calls with these dependencies.
 * @param {readonly (readonly number[])[]} deps
 */
export function createPlan(deps) {
  const nodes = deps.map((needed, index) => ({
    id: `n${index}`,
    tool: 'noop',
    args: { index },
    deps: needed.map((dep) => `n${dep}`),
  }));
  return JSON.stringify({ nodes, output: `n${deps.length - 1}` });
}

/** @type {import('../../src/contracts/ports.ts').Provider} */
const NO_PROVIDER = {
  name: 'none',
  complete: () => Promise.reject(new Error('a supplied plan asks no model')),
};

/**
 * Runs a supplied plan to its end; throws where its output node is not done.
 * @param {string} plan
 * @param {RunOptions} options
 * @returns {Promise<PlanRun>}
 */
export async function runPlan(plan, options) {
  const { run, walk, concurrency, effect = 'read', store = new MemoryRunStore(), clock } = options;
  const tool = defineTool({
    name: 'noop',
    description: 'Does nothing.',
    input: INDEX_SCHEMA,
    output: INDEX_SCHEMA,
    costHint: 1,
    effect,
    run: async (args) => {
      await run(Number(args['index']));
      return args;
    },
  });
  let acceptedAt = NaN;
  let elapsed = startTimer();
  let took = elapsed();
  /** @type {RunState | null} */
  let state = null;
  const { status, reason, runId } = await orchestrate({
    task: {
      name: 'bench',
      goal: 'Walk the plan.',
      concurrency,
      walk,
      budget: { toolCalls: 1_000_000, wallSeconds: 3600 },
      verify: { judge: 'off' },
      limits: { maxNodes: 1_000_000 },
    },
    tools: [tool],
    provider: NO_PROVIDER,
    plan,
    store: tapStore(store, (event) => {
      acceptedAt = event.at;
      elapsed = startTimer();
    }),
    onEvent: (event, folded) => {
      if (event.type === 'run.finished') took = elapsed();
      state = folded;
    },
    ...(clock === undefined ? {} : { clock }),
  });
  const ended = /** @type {RunState | null} */ (state);
  if (ended === null || status !== 'unverified') throw new Error(`the run ended as ${status}: ${reason}`);
  const events = store instanceof MemoryRunStore ? await store.read(runId) : [];
  return { events, state: ended, walkMs: ended.now - acceptedAt, walk: took };
}

/**
 * The same store, but telling of the accepted plan before it is folded; from then on it stands in nobody's way.
 * @param {RunStore} store
 * @param {(event: FlightEvent) => void} onAccepted
 * @returns {RunStore}
 */
function tapStore(store, onAccepted) {
  return {
    create: async (runId) => {
      const opened = await store.create(runId);
      const { log } = opened;
      const append = log.append.bind(log);
      log.append = (event) => {
        if (event.type === 'plan.accepted') {
          onAccepted(event);
          log.append = append;
        }
        append(event);
      };
      return opened;
    },
    open: (run) => store.open(run),
    read: (run) => store.read(run),
    derive: (run, name, from) => store.derive(run, name, from),
    isHeld: (run) => store.isHeld(run),
    post: (run, content) => store.post(run, content),
    resolve: (run) => store.resolve(run),
    list: () => store.list(),
    remove: (run) => store.remove(run),
  };
}

/**
 * A store in a folder that counts how often it makes something durable, the log apart from the rest.
 * @param {string} folder
 * @returns {{ store: RunStore, countSyncs: () => { log: number, other: number } }}
 */
export function createFileStore(folder) {
  const counts = { log: 0, other: 0 };
  /** @type {typeof realDisk.open} */
  const open = async (path, flags, mode) => {
    const handle = await realDisk.open(path, flags, mode);
    const kind = String(path).endsWith('flight.jsonl') ? 'log' : 'other';
    // A write through a handle that was opened for synchronous writing is a sync.
    const names = typeof flags === 'number' ? ['sync', 'datasync', 'write'] : ['sync', 'datasync'];
    return new Proxy(handle, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const isSync = names.includes(String(name));
        return (/** @type {unknown[]} */ ...args) => {
          if (isSync) counts[kind] += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
  };
  return { store: new FileRunStore(folder, { ...realDisk, open }), countSyncs: () => ({ ...counts }) };
}
