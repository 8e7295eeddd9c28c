import { PGraph } from 'p-graph';
import { startTimer } from '../timer.mjs';

/** @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'p-graph',
  bounded: true,
  createRunner: (graph, run, concurrency) => {
    const nodes = new Map(graph.deps.map((_, index) => [`n${index}`, { run: () => run(index) }]));
    const edges = graph.deps.flatMap((deps, index) => deps.map((dep) => [`n${dep}`, `n${index}`]));
    return Promise.resolve(async () => {
      const whole = startTimer();
      const built = new PGraph(nodes, edges);
      const walk = startTimer();
      await built.run({ concurrency });
      return { walk: walk(), whole: whole() };
    });
  },
};
