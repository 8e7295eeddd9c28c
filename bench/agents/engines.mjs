import { createMeteredProvider, Meter } from './metered-provider.mjs';
import { meterTool } from './metered-tool.mjs';
import { PatientClock } from './patient-clock.mjs';
import { loopRules, reactRules } from './policy.mjs';
import { MAX_STEPS, runReact } from './react-loop.mjs';

/**
 * The parts of the library that engines are made of: the built one in a measurement, the sources in a test.
 * @typedef {Pick<typeof import('../../src/index.ts'), 'orchestrate' | 'builtinTools' | 'defineTool' | 'ToolError'>
 *   & Pick<typeof import('../../src/testing.ts'), 'ManualClock'>} Library
 *
 * One task for every engine: what is asked, the tools of the world, the rules of the planner and of what its plan asks
 * models, and the policy of whoever decides step by step.
 * @typedef {{ goal: string, tools: readonly import('../../src/index.ts').Tool[],
 *   planRules: import('./metered-provider.mjs').Rules, policy: import('./policy.mjs').Policy,
 *   latency: () => import('./latency.mjs').Latency, workspace: string }} Job
 *
 * `rounds`: answers of the planner, rounds of the loop, steps of ReAct. Tool calls are attempts; the tool `llm` is not
 * counted among them, since what it asks is a model call already. `end` says why an engine ended without an answer, and
 * is null where it has one. `kept` is what the engine leaves: log and state, or the transcript.
 * @typedef {{ answer: string, end: string | null, elapsedMs: number, tokens: number, inputTokens: number, outputTokens: number,
 *   modelCalls: number, toolCalls: number, failedCalls: number, repeatedCalls: number, rounds: number,
 *   kept: unknown }} Measurement
 * @typedef {keyof typeof ENGINES} EngineName
 */

/** Calls at a time, the same for the plan and for the loop. */
const CONCURRENCY = 8;
/** What models of today hold; the default of the library is for small ones. */
const WINDOW_TOKENS = 131_072;
const LONG_MS = 3_600_000;

/** What begins or ends a round, by the way in which a run works. */
const ROUND_EVENTS = { plan: ['plan.accepted', 'plan.rejected'], agent: ['round.started'] };

/** The engines that are compared. */
export const ENGINES = {
  plan: runPlanFirst,
  loop: (/** @type {Library} */ library, /** @type {Job} */ job) => runLoop(library, job, 20),
  'loop-serial': (/** @type {Library} */ library, /** @type {Job} */ job) => runLoop(library, job, 1),
  react: runPlainReact,
};

/**
 * A world of its own for one run: clock, counters, tools and model.
 * @param {Library} library
 * @param {Job} job
 * @param {import('./metered-provider.mjs').Rules} rules
 * @param {readonly import('../../src/index.ts').Tool[]} [ownTools] tools of the engine beside those of the job
 */
function createWorld({ ManualClock, ToolError }, job, rules, ownTools = []) {
  const clock = new PatientClock(new ManualClock());
  const meter = new Meter();
  /** @param {string} message */
  const createFault = (message) => new ToolError('TRANSIENT', message);
  const world = { clock, meter, latency: job.latency(), createFault };
  const tools = [...job.tools, ...ownTools].map((tool) => meterTool(tool, world));
  return { clock, meter, tools, provider: createMeteredProvider(rules, world) };
}

/**
 * The whole plan first, then the walk.
 * @param {Library} library
 * @param {Job} job
 */
async function runPlanFirst(library, job) {
  const world = createWorld(library, job, job.planRules, await library.builtinTools(['extract']));
  // Not metered: it has no work of its own beside the model call, which is.
  const asking = await library.builtinTools(['llm']);
  return runTask(library, job, { ...world, tools: [...world.tools, ...asking], mode: 'plan' });
}

/**
 * The agent loop of the library.
 * @param {Library} library
 * @param {Job} job
 * @param {number} callsPerTurn
 */
function runLoop(library, job, callsPerTurn) {
  const world = createWorld(library, job, loopRules(job.policy, callsPerTurn));
  return runTask(library, job, { ...world, mode: 'agent' });
}

/**
 * @param {Library} library
 * @param {Job} job
 * @param {ReturnType<typeof createWorld> & { mode: 'plan' | 'agent' }} world
 * @returns {Promise<Measurement>}
 */
async function runTask({ orchestrate }, { goal, workspace }, { clock, meter, tools, provider, mode }) {
  /** @type {import('../../src/index.ts').FlightEvent[]} */
  const events = [];
  /** @type {{ state: unknown }} */
  const last = { state: null };
  const running = orchestrate({
    task: {
      name: 'bench',
      goal,
      mode,
      concurrency: CONCURRENCY,
      verify: { judge: 'off' },
      // Paths that a search has found are read without asking a person, as the plain loop does.
      policy: { tainted: 'allow' },
      limits: {
        maxOutputTokens: 8000,
        nodeTimeoutMs: LONG_MS,
        modelTimeoutMs: LONG_MS,
        modelIdleTimeoutMs: LONG_MS,
      },
      ...(mode === 'agent' ? { agent: { windowTokens: WINDOW_TOKENS, rounds: MAX_STEPS } } : {}),
    },
    tools,
    provider,
    workspace,
    runsFolder: null,
    clock,
    random: { draw: () => 0.5 },
    onEvent: (event, state) => {
      events.push(event);
      last.state = state;
    },
  });
  const { status, reason, answer } = await clock.runUntil(running);
  const rounds = events.filter(({ type }) => ROUND_EVENTS[mode].includes(type));
  return toMeasurement(meter, {
    answer: typeof answer === 'string' ? answer : '',
    end: status === 'unverified' ? null : `${status}: ${reason}`,
    elapsedMs: (events.at(-1)?.at ?? 0) - (events[0]?.at ?? 0),
    rounds: rounds.length,
    kept: { events, state: last.state },
  });
}

/**
 * @param {Library} library
 * @param {Job} job
 */
async function runPlainReact(library, job) {
  const { clock, meter, tools, provider } = createWorld(library, job, reactRules(job.policy));
  const { workspace } = job;
  const { answer, steps, messages } = await clock.runUntil(
    runReact(job.goal, { provider, tools, workspace }),
  );
  return toMeasurement(meter, {
    answer: answer ?? '',
    end: answer === null ? `no answer after ${steps} steps` : null,
    elapsedMs: clock.now(),
    rounds: steps,
    kept: messages,
  });
}

/**
 * @param {Meter} meter
 * @param {Pick<Measurement, 'answer' | 'end' | 'elapsedMs' | 'rounds' | 'kept'>} ended
 * @returns {Measurement}
 */
function toMeasurement(
  { inputTokens, outputTokens, modelCalls, attempts, failedCalls, repeatedCalls },
  ended,
) {
  return {
    ...ended,
    ...{ tokens: inputTokens + outputTokens, inputTokens, outputTokens, modelCalls },
    ...{ toolCalls: attempts.length, failedCalls, repeatedCalls },
  };
}
