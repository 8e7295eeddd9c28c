/**
 * @typedef {import('./timer.mjs').Elapsed} Elapsed
 */

/**
 * What the harness needs of an engine. A runner walks its graph once per call and says how long it took:
 * the walk alone, and all that the engine needs from the description of the graph on. `run` is the task of a node, `concurrency` the bound on tasks at a time where the engine has
 * one.
 * @typedef {{ walk: Elapsed, whole: Elapsed }} Timing
 * @typedef {(index: number) => Promise<void>} RunTask
 * @typedef {() => Promise<Timing>} Runner
 * @typedef {{ name: string, bounded: boolean,
 *   createRunner(graph: import('./shapes.mjs').Graph, run: RunTask, concurrency: number): Promise<Runner> }} Adapter
 */

const ADAPTERS = {
  raw: './adapters/raw.mjs',
  sortie: './adapters/sortie.mjs',
  'p-graph': './peers/p-graph.mjs',
  langgraph: './peers/langgraph.mjs',
  mastra: './peers/mastra.mjs',
};

/**
 * Loads the adapter of an engine, and nothing of the others.
 * @param {string} name
 * @returns {Promise<Adapter>}
 */
export async function loadAdapter(name) {
  const path = ADAPTERS[/** @type {keyof typeof ADAPTERS} */ (name)];
  /** @type {{ adapter: Adapter }} */
  const { adapter } = await import(path);
  return adapter;
}
