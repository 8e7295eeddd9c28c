import type { MemoryRecord, MemoryStore } from '../../src/contracts/memory.ts';
import { resumeTask } from '../../src/index.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';
import { ScriptedProvider } from '../../src/testing.ts';
import { askingTool, echoTool, node, plan } from '../support/core.ts';
import { crashAfter, type Scenarios } from './scenario.ts';

const provenance = { at: Date.UTC(2026, 0, 2), run: 'earlier' };
const episodeOf = (id: string, goal: string): MemoryRecord => ({
  ...{ tier: 'episodic', id, text: `${goal}\nended failed`, provenance: { ...provenance, run: id } },
  episode: {
    ...{ goal, shape: 'get_population → aggregate_report', status: 'failed', reasons: [], replans: 0 },
    ...{ tokens: 10, toolCalls: 1 },
    failures: [
      {
        ...{ node: 'population_atlantis', tool: 'get_population', code: 'missing_info' },
        message: 'the data set has no city "Atlantis"',
      },
    ],
  },
});

/** A store that holds these. */
function storeOf(...records: readonly MemoryRecord[]): InMemoryStore {
  const store = new InMemoryStore();
  void store.put(
    'default',
    records.map((record) => ({ record })),
  );
  return store;
}

/** A store whose first search of each tier fails, and whose second does not return in time. */
function poorStore(store: InMemoryStore): MemoryStore {
  const search = store.searchByWords.bind(store);
  let searches = 0;
  store.searchByWords = (query) => {
    searches += 1;
    if (searches <= 2) return Promise.reject(new Error('the disk is gone'));
    return searches === 3 ? new Promise(() => undefined) : search(query);
  };
  return store;
}

const strictTool = echoTool('strict', {
  input: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
});

/* Runs with a memory. */
export const memoryScenarios: Scenarios = {
  'memory-atlantis': () => ({
    task: 'examples/city-compare/city-compare.yaml',
    flags: { 'input.cities': 'Lima,Atlantis' },
    memory: {
      store: storeOf(episodeOf('earlier', 'Compare Lima, Atlantis by population, time zone and location.'), {
        tier: 'semantic',
        id: 'f',
        text: 'get_population {"city":"Lima"}: 7385117',
        provenance,
      }),
    },
  }),
  'memory-repair-economy': () => ({
    task: {
      name: 'memory',
      goal: 'Write about Lima.',
      memory: { episodes: 1, timeoutMs: 20, contextChars: 1200 },
      budget: { tokens: 200_000, economyAt: 0.00005 },
      verify: { judge: 'on' },
    },
    workspace: '/workspace',
    tools: [echoTool(), strictTool, askingTool],
    memory: {
      store: poorStore(storeOf(...['r1', 'r2', 'r3'].map((id) => episodeOf(id, `Write about Lima, ${id}.`)))),
    },
    provider: new ScriptedProvider([
      {
        role: 'planner',
        reply: JSON.stringify(
          plan(
            node('count', { args: { value: 5 } }),
            node('text', { tool: 'strict', args: { value: { $ref: 'count' } } }),
            node('report', { tool: 'write', args: { about: { $ref: 'text' } } }),
          ),
        ),
      },
      { role: 'repairer', reply: '{"value": "5"}' },
      { role: 'writer', reply: 'About Lima.' },
      { role: 'critic', reply: '{"score": 0.9, "issues": []}' },
    ]),
  }),
  'memory-summed-up': () => ({
    task: {
      ...{ name: 'memory', goal: 'Write about Lima.', memory: { episodes: 1 }, verify: { judge: 'off' } },
    },
    workspace: '/workspace',
    tools: [echoTool()],
    memory: { store: storeOf(...['r1', 'r2', 'r3'].map((id) => episodeOf(id, `Write about Lima, ${id}.`))) },
    provider: new ScriptedProvider([
      { role: 'planner', reply: JSON.stringify(plan(node('a', { args: { value: 'Lima' } }))) },
      { role: 'archivist', reply: 'Three runs wrote about Lima and failed at Atlantis.' },
    ]),
  }),
  'memory-resumed': async (stage) => {
    const drawn = JSON.stringify(plan(node('a', { args: { value: 'Lima' } })));
    const options = () => ({
      workspace: '/workspace',
      tools: [echoTool()],
      memory: { store: storeOf(episodeOf('earlier', 'Write about Lima.')) },
      provider: new ScriptedProvider([{ role: 'planner', reply: drawn }]),
    });
    const task = { name: 'memory', goal: 'Write about Lima.', verify: { judge: 'off' } } as const;
    await crashAfter(stage, { ...options(), task }, ({ type }) => type === 'memory.requested');
    await resumeTask(stage.runId, { ...options(), store: stage.store });
  },
};
