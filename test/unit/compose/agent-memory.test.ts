/* What the work of agents leaves in the memory of runs, and what their tools keep and find there. */
import { describe, expect, it } from 'vitest';
import { AgentHome } from '../../../src/compose/agent-home.ts';
import type { Prepared } from '../../../src/compose/prepare.ts';
import type { FollowingMemory } from '../../../src/compose/run-memory.ts';
import type { Embedder, MemoryRecord } from '../../../src/contracts/memory.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { ToolError } from '../../../src/index.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import type { RunState } from '../../../src/run/state.ts';
import { calling, inTurn, lookUp, speaking } from '../../support/agent-run.ts';
import { echoTool, node, only } from '../../support/core.ts';
import { fact, vectorOf } from '../../support/memory-entries.ts';
import { drawing, rememberingRuns } from '../../support/remembering.ts';

const AGENT = {
  name: 'a',
  goal: 'How many live in Tokyo?',
  mode: 'agent',
  verify: { judge: 'off' },
} as const;
const TASK = { name: 't', goal: 'Keep the weight of the moss.', verify: { judge: 'off' } } as const;

/** An embedder that gives every text the same vector, once `ready` lets it. */
function embedderAfter(ready: Promise<void>): Embedder & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    ...{ model: 'm', dimensions: 32, texts, close: () => Promise.resolve() },
    embed: async (text) => {
      texts.push(text);
      await ready;
      return { model: 'm', vector: vectorOf(1) };
    },
  };
}

describe('a run that is the work of an agent', () => {
  it('is remembered with what its calls found, and what they failed of in the end', async () => {
    const { run, records } = rememberingRuns();
    const gone = echoTool('fetch', {
      input: { type: 'object' },
      run: () => {
        throw new ToolError('PERMANENT', 'no page at https://example.org/x');
      },
    });
    const twice = inTurn(
      calling({ name: 'look_up', args: { city: 'Tokyo' } }, { name: 'fetch', args: {} }),
      '13 960 000 people.',
    );
    await run('r1', { task: AGENT, tools: [lookUp, gone], provider: speaking({ agent: twice }) });
    const kept = await records();
    expect(kept.find(({ tier }) => tier === 'episodic')).toMatchObject({
      episode: {
        failures: [{ tool: 'fetch', code: 'tool_failed', message: 'no page at https://example.org/x' }],
      },
    });
    const found = kept.find(({ provenance }) => provenance.tool === 'look_up');
    expect(found).toMatchObject({
      text: 'look_up {"city":"Tokyo"}: {"city":"Tokyo","population":13960000}',
      provenance: { run: 'r1', node: 'agent/1/2' },
      figures: [{ field: 'population', text: '13960000' }],
    });
  });

  it('says where its memories were compared by their words for want of a model', async () => {
    const { memory, run } = rememberingRuns();
    await memory.put('default', [{ record: fact('f', 'Tokyo is large.') }]);
    const embedder: Embedder = {
      ...{ model: 'm', dimensions: 32, close: () => Promise.resolve() },
      embed: () => Promise.reject(new Error('the weights are damaged')),
    };
    const { events } = await run('r2', {
      ...{ task: AGENT, tools: [lookUp], provider: speaking({ agent: () => 'Many.' }) },
      memory: { store: memory, embedder },
    });
    expect(only(events, 'agent.recalled')[0]?.text).toContain('Tokyo is large.');
    const told = only(events, 'tool.logged').map(({ message }) => message);
    expect(told).toEqual([
      'memories were compared by their words, not by their meaning: the weights are damaged',
    ]);
  });
});

describe('the figures that an agent lets go of', () => {
  const state = { runId: 'r1', now: 5 } as RunState;
  const prepared = { task: { memory: { scope: 's', enabled: false } }, folder: '/' } as unknown as Prepared;
  const homeWith = (keep: FollowingMemory['keep']): AgentHome =>
    new AgentHome(prepared, { runsFolder: null }, { keep } as unknown as FollowingMemory);

  it('are kept without the credentials beside them', async () => {
    const kept: MemoryRecord[] = [];
    const home = homeWith((records) => {
      kept.push(...records);
      return Promise.resolve();
    });
    const text =
      'postgres://app:hunter2hunter2@db.example:5432/x took 1.4 s, key sk-ant-aaaabbbbccccdddd1111';
    expect(await home.keepFigures([text, 'nothing'], state)).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toMatch(/hunter2|aaaabbbb/);
    expect(kept).toMatchObject([{ provenance: { at: 5, run: 'r1' } }]);
    expect(JSON.stringify(kept[0])).toContain('"1.4 s"');
  });

  it('are said not to be kept where the store fails', async () => {
    const home = homeWith(() => Promise.reject(new Error('disk full')));
    await expect(home.keepFigures(['1.4 MB'], state)).rejects.toThrow('disk full');
  });
});

describe('an exchange that could not be kept', () => {
  it('is told of when the session ends', async () => {
    const memory = { keep: () => Promise.reject(new Error('disk full')) } as unknown as FollowingMemory;
    const prepared = { task: { memory: { scope: 's', enabled: false } }, folder: '/' } as unknown as Prepared;
    const home = new AgentHome(prepared, { runsFolder: null }, memory);
    const agent = { key: 'main/1', parent: null, task: 'Count.', answerText: '3', messages: [] };
    const state = { runId: 'r1', session: {}, crew: new Map([['main/1', agent]]) } as unknown as RunState;
    const event = { type: 'agent.finished', agent: 'main/1', status: 'completed', at: 5 };
    home.follow(event as unknown as FlightEvent, state);
    expect(await home.settled()).toEqual(['an exchange was not kept: disk full']);
  });
});

describe('the tool remember', () => {
  const remember = (text: string) => node('keep', { tool: 'remember', args: { text } });
  const options = (provider = drawing(remember('The moss weighs 1.4 MB.'))) => ({
    task: { ...TASK, tools: ['remember', 'recall'], memory: { similarity: 'fusion' as const } },
    provider,
  });

  it('keeps a text with its figures before there is a vector, which the step after does not wait for', async () => {
    const { memory, run, records } = rememberingRuns();
    await memory.put('default', [{ record: fact('f', 'The weight of moss.') }]);
    let open = (): void => undefined;
    const ready = new Promise<void>((resolve) => (open = resolve));
    const embedder = embedderAfter(ready);
    const tool = echoTool('look', {
      run: async () => {
        const texts = (await records()).map(({ text }) => text);
        open();
        return texts;
      },
    });
    const embed = embedder.embed.bind(embedder);
    // The recall of the planner has loaded the model; from then on it is slow.
    embedder.embed = (text) =>
      text.startsWith('The moss') ? embed(text) : Promise.resolve({ model: 'm', vector: vectorOf(2) });
    const provider = drawing(
      remember('The moss weighs 1.4 MB.'),
      node('next', { tool: 'look', deps: ['keep'] }),
    );
    const { result } = await run('r1', {
      ...options(provider),
      tools: [tool],
      memory: { store: memory, embedder },
    });
    expect(result.answer).toContain('The moss weighs 1.4 MB.');
    const note = (await memory.list({ scope: 'default', limit: 99 })).entries.find(
      ({ record }) => record.provenance.tool === 'remember',
    );
    expect(note?.record).toMatchObject({ figures: [{ text: '1.4 MB' }] });
    expect(note?.embedding?.vector).toEqual(vectorOf(1));
  });

  it('ends with its run, and has kept the text, though the model hangs', { timeout: 20_000 }, async () => {
    const { memory, run, records } = rememberingRuns();
    const embedder = embedderAfter(new Promise<void>(() => undefined));
    const started = performance.now();
    await run('r1', { ...options(), memory: { store: memory, embedder } });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await records()).some(({ text }) => text === 'The moss weighs 1.4 MB.')).toBe(true);
  });

  it('fails where the store does', async () => {
    const memory = Object.assign(new InMemoryStore(), { put: () => Promise.reject(new Error('disk full')) });
    const { run } = rememberingRuns();
    const { events } = await run('r1', {
      ...options(),
      task: { ...options().task, limits: { replans: 0, attempts: 1 } },
      memory: { store: memory },
    });
    expect(only(events, 'node.failed')[0]?.failure.message).toContain('disk full');
  });
});

describe('the tool recall', () => {
  const recall = node('look', { tool: 'recall', args: { query: 'the weight of moss' } });
  const options = {
    task: { ...TASK, tools: ['recall'], memory: { similarity: 'fusion' as const } },
    provider: drawing(recall),
  };

  it('gives the figures that a text has lost', async () => {
    const { memory, run } = rememberingRuns();
    const record = {
      ...fact('f', 'The weight of moss was taken.'),
      figures: [{ kind: 'number', text: '1.4 MB' }],
    };
    await memory.put('default', [{ record: record as MemoryRecord }]);
    const { result } = await run('r1', options);
    expect(result.answer).toMatchObject({ memories: [{ text: record.text, figures: ['1.4 MB'] }] });
  });

  it('says where it went by words', async () => {
    const { memory, run } = rememberingRuns();
    await memory.put('default', [{ record: fact('f', 'The weight of moss.') }]);
    const embedder: Embedder = {
      ...{ model: 'm', dimensions: 32, close: () => Promise.resolve() },
      embed: () => Promise.reject(new Error('it is down')),
    };
    const { events } = await run('r1', { ...options, memory: { store: memory, embedder } });
    expect(only(events, 'tool.logged')).toMatchObject([
      { node: 'look', message: expect.stringContaining('by their words') as unknown },
    ]);
  });
});
