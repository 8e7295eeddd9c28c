import { SHAPES } from '../agents/question-world.mjs';
import { runChild } from '../child.mjs';
import { median, medianRatio } from '../measure.mjs';
import { formatNumber } from '../report.mjs';

/**
 * @typedef {import('../agents/engines.mjs').EngineName} EngineName
 * @typedef {import('../agents/question-world.mjs').Shape} Shape
 * @typedef {import('../children/agent-shapes.mjs').AgentShapesInput} AgentShapesInput
 * @typedef {import('../children/agent-shapes.mjs').AgentShapesOutput} AgentShapesOutput
 * @typedef {import('../children/agent-todos.mjs').AgentTodosInput} AgentTodosInput
 * @typedef {import('../children/agent-todos.mjs').AgentTodosOutput} AgentTodosOutput
 * @typedef {import('../report.mjs').Row} Row
 */

/** @type {Readonly<Record<EngineName, string>>} */
const NAMES = {
  plan: 'plan-first',
  loop: 'agent loop',
  'loop-serial': 'agent loop, one call a turn',
  react: 'ReAct',
};

const ENGINE_NAMES = /** @type {EngineName[]} */ (Object.keys(NAMES));

/** What is divided by what; below 1 the first does better. */
const PAIRS = /** @type {const} */ ([
  ['plan', 'loop'],
  ['plan', 'loop-serial'],
  ['plan', 'react'],
  ['loop', 'react'],
]);

const SHAPE_SEED = 2024;
const QUICK_QUESTIONS = 12;
const TODO_SEEDS = [11, 12, 13, 14, 15];
const TODO_FILES = 300;

/**
 * Plan-first beside the agent loop and a plain ReAct loop, with scripted models and simulated latencies; what is assumed
 * stands at the head of `agents/latency.mjs`.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function measureAgents({ isQuick }) {
  /** @type {Row[]} */
  const rows = [];
  for (const shape of /** @type {Shape[]} */ (Object.keys(SHAPES))) {
    rows.push(...(await measureShape(shape, isQuick ? QUICK_QUESTIONS : SHAPES[shape])));
  }
  rows.push(...(await measureTodos(isQuick ? TODO_SEEDS.slice(0, 1) : TODO_SEEDS)));
  return [...rows, ...(await measureStuck())];
}

/**
 * @param {Shape} shape
 * @param {number} count
 * @returns {Promise<Row[]>}
 */
async function measureShape(shape, count) {
  /** @type {Partial<Record<EngineName, AgentShapesOutput['items']>>} */
  const measured = {};
  for (const engine of ENGINE_NAMES) {
    /** @type {AgentShapesInput} */
    const input = { engine, shape, count, seed: SHAPE_SEED };
    /** @type {AgentShapesOutput} */
    const { items } = await runChild('agent-shapes', input);
    const wrong = items.filter(({ isSolved }) => !isSolved).length;
    if (wrong > 0) throw new Error(`${NAMES[engine]} answered ${wrong} questions of ${shape} wrong`);
    measured[engine] = items;
  }
  const figure = `${shape} (${count})`;
  /** @type {(engine: EngineName, key: 'elapsedMs' | 'tokens' | 'modelCalls' | 'toolCalls') => number[]} */
  const series = (engine, key) => (measured[engine] ?? []).map((item) => item[key]);
  return [
    ...ENGINE_NAMES.map((engine) => ({
      figure: `${figure}: ${NAMES[engine]}`,
      measured: [
        `${formatNumber(median(series(engine, 'elapsedMs')) / 1000)} s`,
        `${formatCount(median(series(engine, 'tokens')))} tokens`,
        `${formatCount(median(series(engine, 'modelCalls')))} model calls`,
        `${formatCount(median(series(engine, 'toolCalls')))} tool calls`,
      ].join(', '),
    })),
    ...PAIRS.map(([over, under]) => {
      /** @type {(key: 'elapsedMs' | 'tokens' | 'modelCalls' | 'toolCalls') => string} */
      const ratio = (key) => formatNumber(medianRatio(series(over, key), series(under, key)));
      return {
        figure: `${figure}: ${NAMES[over]} / ${NAMES[under]}`,
        measured: `latency ${ratio('elapsedMs')} ×, tokens ${ratio('tokens')} ×, model calls ${ratio('modelCalls')} ×, tool calls ${ratio('toolCalls')} ×${describeWidths(measured[over], measured[under])}`,
      };
    }),
  ];
}

/**
 * The ratio of latencies by the number of branches, where that differs from question to question.
 * @param {AgentShapesOutput['items']} [over]
 * @param {AgentShapesOutput['items']} [under]
 */
function describeWidths(over = [], under = []) {
  const widths = [...new Set(over.map(({ width }) => width))].sort((left, right) => left - right);
  if (widths.length < 2) return '';
  const ratios = widths.map((wanted) => {
    const [above, below] = [over, under].map((items) =>
      items.filter(({ width }) => width === wanted).map(({ elapsedMs }) => elapsedMs),
    );
    return `${wanted}: ${formatNumber(medianRatio(above ?? [], below ?? []))}`;
  });
  return ` (latency by branches ${ratios.join(', ')})`;
}

/**
 * @param {readonly number[]} seeds
 * @returns {Promise<Row[]>}
 */
async function measureTodos(seeds) {
  /** @type {Partial<Record<EngineName, AgentTodosOutput[]>>} */
  const measured = {};
  for (const engine of ENGINE_NAMES) {
    const outputs = [];
    for (const seed of seeds) outputs.push(await runTodos({ engine, seed, isStuck: false }));
    measured[engine] = outputs;
  }
  const figure = `TODO comments of ${TODO_FILES} files (${seeds.length})`;
  /** @type {(engine: EngineName, key: keyof AgentTodosOutput) => number[]} */
  const series = (engine, key) => (measured[engine] ?? []).map((output) => Number(output[key]));
  return [
    ...ENGINE_NAMES.map((engine) => ({
      figure: `${figure}: ${NAMES[engine]}`,
      measured: describeTodos((key) => series(engine, key)),
    })),
    ...PAIRS.map(([over, under]) => {
      /** @type {(key: keyof AgentTodosOutput) => string} */
      const ratio = (key) => formatNumber(medianRatio(series(over, key), series(under, key)));
      return {
        figure: `${figure}: ${NAMES[over]} / ${NAMES[under]}`,
        measured: `latency ${ratio('elapsedMs')} ×, tokens ${ratio('tokens')} ×, model calls ${ratio('modelCalls')} ×, tool calls ${ratio('toolCalls')} ×, heap ${ratio('heapBytes')} ×`,
      };
    }),
  ];
}

/**
 * Medians over the repositories, but for what was found in them, which is summed up so that no fault is lost in it.
 * @param {(key: keyof AgentTodosOutput) => number[]} series
 */
function describeTodos(series) {
  /** @type {(key: keyof AgentTodosOutput) => number} */
  const of = (key) => median(series(key));
  /** @type {(key: keyof AgentTodosOutput) => number} */
  const total = (key) => series(key).reduce((sum, value) => sum + value, 0);
  const made = of('toolCalls');
  return [
    countRounds(of('rounds')),
    `${formatNumber(of('elapsedMs') / 1000)} s`,
    `${formatCount(of('tokens'))} tokens`,
    `${formatCount(of('modelCalls'))} model calls`,
    `tools ${formatCount(made - of('failedCalls'))} of ${formatCount(made)} succeeded`,
    `${formatCount(of('repeatedCalls'))} loops`,
    `heap ${formatNumber(of('heapBytes') / 1e6)} MB`,
    `${formatCount(total('found'))} of ${formatCount(total('found') + total('missed'))} right, ${formatCount(total('wrong'))} wrong`,
  ].join(', ');
}

/**
 * What a model costs that does the same again and again, until something stops it.
 * @returns {Promise<Row[]>}
 */
async function measureStuck() {
  const [seed = 0] = TODO_SEEDS;
  /** @type {Row[]} */
  const rows = [];
  for (const engine of /** @type {const} */ (['plan', 'loop', 'react'])) {
    const output = await runTodos({ engine, seed, isStuck: true });
    rows.push({
      figure: `a model that repeats itself: ${NAMES[engine]}`,
      measured: `${countRounds(output.rounds)}, ${formatNumber(output.elapsedMs / 1000)} s, ${formatCount(output.tokens)} tokens, ${output.toolCalls} tool calls (${output.end ?? 'answered'})`,
    });
  }
  return rows;
}

/**
 * @param {Omit<AgentTodosInput, 'files'>} wanted
 * @returns {Promise<AgentTodosOutput>}
 */
async function runTodos(wanted) {
  /** @type {AgentTodosInput} */
  const input = { ...wanted, files: TODO_FILES };
  /** @type {AgentTodosOutput} */
  const output = await runChild('agent-todos', input, ['--expose-gc']);
  if (!wanted.isStuck && output.end !== null) {
    throw new Error(`${NAMES[wanted.engine]} ended without an answer: ${output.end}`);
  }
  return output;
}

/** @param {number} rounds */
function countRounds(rounds) {
  return `${formatCount(rounds)} ${rounds === 1 ? 'round' : 'rounds'}`;
}

/** @param {number} value */
function formatCount(value) {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}
