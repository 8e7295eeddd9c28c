import { createPlan, runPlan } from './library.mjs';
import { startTimer } from '../timer.mjs';

/** Our own engine: a supplied plan through parser, validation, ledger, deadlines and the log in memory.
 * @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'sortie',
  bounded: true,
  createRunner: (graph, run, concurrency) => {
    const plan = createPlan(graph.deps);
    return Promise.resolve(async () => {
      const whole = startTimer();
      const { walk } = await runPlan(plan, { run, walk: 'eager', concurrency });
      return { walk, whole: whole() };
    });
  },
};
