import { runChild } from '../child.mjs';
import { median, medianRatio } from '../measure.mjs';
import { boundedRow, formatNumber } from '../report.mjs';
import { SHAPES } from '../shapes.mjs';

/**
 * @typedef {import('../measure.mjs').Figure} Figure
 * @typedef {import('../measure.mjs').Figures} Figures
 * @typedef {import('../children/walker.mjs').WalkerInput} WalkerInput
 * @typedef {import('../report.mjs').Row} Row
 */

const CONCURRENCY = 64;
const SIZE = 1000;
const LANGGRAPH_FACTOR = 25;
const LARGE_SIZES = [10_000, 100_000];

/**
 * What a node costs, beside the peers, and how that grows with the graph.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function measureWalker({ isQuick }) {
  const pairs = isQuick ? 2 : 7;
  const warm = { sizes: [SIZE], warmUps: isQuick ? 15 : 40, rounds: isQuick ? 15 : 40 };
  /** @type {Figures[]} */
  const ours = [];
  /** @type {Figures[]} */
  const theirs = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    ours.push(await measureEngine('sortie', warm));
    theirs.push(await measureEngine('p-graph', warm));
  }
  const slow = { sizes: [SIZE], warmUps: 1, rounds: isQuick ? 1 : 5 };
  const langGraph = await measureEngine('langgraph', slow);
  const mastra = await measureEngine('mastra', slow);
  return [
    ...SHAPES.flatMap((shape) => compareShape(shape, { ours, theirs, langGraph, mastra })),
    ...(await measureGrowth(isQuick)),
  ];
}

/**
 * @param {string} engine
 * @param {Omit<WalkerInput, 'engine' | 'concurrency'>} plan
 */
function measureEngine(engine, plan) {
  /** @type {WalkerInput} */
  const input = { engine, concurrency: CONCURRENCY, ...plan };
  // A peer warns of its listeners once a node, on a terminal that is not measured.
  return /** @type {Promise<Figures>} */ (runChild('walker', input, ['--no-warnings']));
}

/**
 * @param {string} shape
 * @param {{ ours: Figures[], theirs: Figures[], langGraph: Figures, mastra: Figures }} figures
 * @returns {Row[]}
 */
function compareShape(shape, { ours, theirs, langGraph, mastra }) {
  /** @type {(from: Figures, engine: string, what?: keyof Figure) => number} */
  const read = (from, engine, what = 'walkUs') => from[`${engine} ${shape} ${SIZE}`]?.[what] ?? NaN;
  const walks = ours.map((from) => read(from, 'sortie'));
  const wholes = ours.map((from) => read(from, 'sortie', 'wholeUs'));
  const peers = theirs.map((from) => read(from, 'p-graph', 'wholeUs'));
  const walk = median(walks);
  const cpuRatio = medianRatio(
    ours.map((from) => read(from, 'sortie', 'walkCpuUs')),
    theirs.map((from) => read(from, 'p-graph', 'wholeCpuUs')),
  );
  const langGraphUs = read(langGraph, 'langgraph', 'wholeUs');
  /** @type {(figures: Figures[], engine: string) => string} */
  const beside = (figures, engine) => {
    /** @type {(what: keyof Figure, name?: string) => string} */
    const show = (what, name = engine) => formatNumber(median(figures.map((from) => read(from, name, what))));
    return `${show('wholeUs')} µs (CPU ${show('wholeCpuUs')}; the walk alone ${show('walkUs')}; raw promises beside it ${show('walkUs', 'raw')})`;
  };
  return [
    { figure: `${shape} ${SIZE}: sortie, a whole run`, measured: beside(ours, 'sortie') },
    { figure: `${shape} ${SIZE}: p-graph, built and run`, measured: beside(theirs, 'p-graph') },
    { figure: `${shape} ${SIZE}: LangGraph, compiled and run`, measured: beside([langGraph], 'langgraph') },
    { figure: `${shape} ${SIZE}: Mastra, built and run`, measured: beside([mastra], 'mastra') },
    boundedRow(`${shape} ${SIZE}: walk of an accepted plan / p-graph`, medianRatio(walks, peers), 1.5, {
      unit: ' ×',
      detail: `${formatNumber(walk)} µs a node; by CPU time ${formatNumber(cpuRatio)} ×; whole run ${formatNumber(medianRatio(wholes, peers))} ×`,
    }),
    {
      figure: `${shape} ${SIZE}: walk of an accepted plan / LangGraph`,
      measured: `1/${Math.round(langGraphUs / walk)}`,
      target: `≤ 1/${LANGGRAPH_FACTOR}`,
      isMet: walk * LANGGRAPH_FACTOR <= langGraphUs,
    },
  ];
}

/**
 * @param {boolean} isQuick
 * @returns {Promise<Row[]>}
 */
async function measureGrowth(isQuick) {
  const large = isQuick ? LARGE_SIZES.slice(0, 1) : LARGE_SIZES;
  const plan = { sizes: [SIZE, ...large], warmUps: 2, rounds: isQuick ? 2 : 4 };
  const ours = await measureEngine('sortie', plan);
  const theirs = await measureEngine('p-graph', plan);
  return SHAPES.flatMap((shape) =>
    large.map((size) => {
      /** @type {(from: Figures, engine: string, nodes: number, what: keyof Figure) => number} */
      const read = (from, engine, nodes, what) => from[`${engine} ${shape} ${nodes}`]?.[what] ?? NaN;
      const walk = read(ours, 'sortie', size, 'walkUs');
      const whole = read(ours, 'sortie', size, 'wholeUs');
      const peer = read(theirs, 'p-graph', size, 'wholeUs');
      const detail = [
        `${formatNumber(walk)} µs a node`,
        `by CPU time ${formatNumber(read(ours, 'sortie', size, 'walkCpuUs') / read(ours, 'sortie', SIZE, 'walkCpuUs'))} ×`,
        `whole run ${formatNumber(whole)}, ${formatNumber(whole / read(ours, 'sortie', SIZE, 'wholeUs'))} ×`,
        `p-graph ${formatNumber(peer)}, ${formatNumber(peer / read(theirs, 'p-graph', SIZE, 'wholeUs'))} ×`,
      ];
      return boundedRow(
        `${shape} ${size}: a node / a node of ${SIZE}`,
        walk / read(ours, 'sortie', SIZE, 'walkUs'),
        1.5,
        {
          unit: ' ×',
          detail: detail.join('; '),
        },
      );
    }),
  );
}
