import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { startTimer } from '../timer.mjs';

/** Mastra composes barriers: a layer runs in parallel and the next one starts after it.
 * @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'mastra',
  bounded: false,
  createRunner: (graph, run) =>
    Promise.resolve(async () => {
      const whole = startTimer();
      const built = build(graph, run);
      const walk = startTimer();
      const created = await built.createRun();
      const { status, error } = await created.start({ inputData: {} });
      if (status !== 'success') throw new Error(`mastra ended as ${status}`, { cause: error });
      return { walk: walk(), whole: whole() };
    }),
};

function build(graph, run) {
  const anything = z.any();
  const steps = graph.deps.map((_, index) =>
    createStep({
      id: `n${index}`,
      inputSchema: anything,
      outputSchema: anything,
      execute: async () => {
        await run(index);
        return {};
      },
    }),
  );
  let workflow = createWorkflow({ id: 'bench', inputSchema: anything, outputSchema: anything });
  for (const layer of graph.layers) {
    const members = layer.map((index) => steps[index]);
    workflow = members.length === 1 ? workflow.then(members[0]) : workflow.parallel(members);
  }
  return workflow.commit();
}
