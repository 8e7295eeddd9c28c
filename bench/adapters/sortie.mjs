import { createPlan, runPlan } from './library.mjs';

/** Our own engine: a supplied plan through parser, validation, ledger, deadlines and the log in memory.
 * @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'sortie',
  bounded: true,
  createRunner: (graph, run, concurrency) => {
    const plan = createPlan(graph.deps);
    return Promise.resolve(async () => {
      const started = performance.now();
      const { walkMs } = await runPlan(plan, { run, walk: 'eager', concurrency });
      return { walkMs, wholeMs: performance.now() - started };
    });
  },
};
