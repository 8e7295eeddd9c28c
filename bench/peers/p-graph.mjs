import { PGraph } from 'p-graph';

/** @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'p-graph',
  bounded: true,
  createRunner: (graph, run, concurrency) => {
    const nodes = new Map(graph.deps.map((_, index) => [`n${index}`, { run: () => run(index) }]));
    const edges = graph.deps.flatMap((deps, index) => deps.map((dep) => [`n${dep}`, `n${index}`]));
    return Promise.resolve(async () => {
      const started = performance.now();
      const built = new PGraph(nodes, edges);
      const walking = performance.now();
      await built.run({ concurrency });
      const ended = performance.now();
      return { walkMs: ended - walking, wholeMs: ended - started };
    });
  },
};
