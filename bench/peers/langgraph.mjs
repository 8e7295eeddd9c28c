import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { startTimer } from '../timer.mjs';

const State = Annotation.Root({ done: Annotation() });

/** @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'langgraph',
  bounded: true,
  createRunner: (graph, run, concurrency) =>
    Promise.resolve(async () => {
      const whole = startTimer();
      const built = build(graph, run);
      const walk = startTimer();
      await built.invoke({}, { recursionLimit: graph.layers.length + 10, maxConcurrency: concurrency });
      return { walk: walk(), whole: whole() };
    }),
};

function build(graph, run) {
  const state = new StateGraph(State);
  for (const [index, deps] of graph.deps.entries()) {
    state.addNode(`n${index}`, async () => {
      await run(index);
      return {};
    });
    if (deps.length === 0) state.addEdge(START, `n${index}`);
  }
  for (const [index, deps] of graph.deps.entries()) {
    const names = deps.map((dep) => `n${dep}`);
    if (names.length > 0) state.addEdge(names.length === 1 ? names[0] : names, `n${index}`);
  }
  state.addEdge(`n${graph.deps.length - 1}`, END);
  return state.compile();
}
