/* Hooks around the calls of agents. */
import { describe, expect, it } from 'vitest';
import { findBroken } from '../../../src/compose/verify-log.ts';
import type { Hooks } from '../../../src/contracts/hooks.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { orchestrate, replayRun, resumeTask, type RunOptions, ToolError } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { readRun } from '../../../src/views/read-run.ts';
import { aloneTask, calling, inTurn, speaking } from '../../support/agent-run.ts';
import { cutOff, sendTool } from '../../support/composed.ts';
import { echoTool, only } from '../../support/core.ts';

const ECHO = calling({ name: 'echo', args: { value: 'x' } });

function given(store: MemoryRunStore, options: Partial<RunOptions>): RunOptions {
  const provider = speaking({ agent: inTurn(ECHO, 'Done.') });
  return { tools: [echoTool()], provider, task: aloneTask, store, runId: 'r', workspace: '/', ...options };
}

async function run(options: Partial<RunOptions> & { hooks: Hooks }) {
  const store = new MemoryRunStore();
  const result = await orchestrate(given(store, options));
  const events = await store.read('r');
  expect((await replayRun('r', { store, strict: true })).divergence).toBeNull();
  expect(findBroken(events)).toBeNull();
  const spans = buildSpans(events);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(spans.filter(({ endMs, startMs }) => !(endMs >= startMs))).toEqual([]);
  const { reserved, settled } = readRun(events).ledger;
  expect(reserved.toolCalls).toBe(0);
  return { result, events, toolCalls: settled.toolCalls };
}

describe('the calls that an agent answers itself, hands on, or puts to a person', () => {
  const turns = speaking({
    agent: (request, key) =>
      key.startsWith('agent/1/3/')
        ? 'Looked.'
        : inTurn(
            calling(
              { name: 'todo', args: { todos: [{ id: 'a', content: 'look', status: 'pending' }] } },
              { name: 'delegate', args: { task: 'Look.' } },
              { name: 'ask_human', args: { question: 'Which?' } },
            ),
            'Done.',
          )(request, key),
  });
  const person = {
    approve: () => Promise.resolve({ decision: 'done', by: 'ann', value: 'the red one' } as const),
  };
  const ask = echoTool('ask_human', {
    ...{ interactive: true, output: { type: 'string' } },
    input: { type: 'object', properties: { question: { type: 'string' } } },
  });

  it('are shown to hooks like all others, before and after, and cost no call of a tool', async () => {
    const seen: string[] = [];
    const hooks: Hooks = {
      preToolCall: ({ node, key, tool }) => {
        seen.push(`before ${tool.name} ${key} of ${node}`);
        return undefined;
      },
      postToolCall: ({ tool }, outcome) => {
        seen.push(`after ${tool.name}`);
        return tool.name === 'ask_human' && outcome.ok ? { value: 'the blue one' } : undefined;
      },
    };
    const { result, events, toolCalls } = await run({
      ...person,
      hooks,
      provider: turns,
      tools: [echoTool(), ask],
    });
    expect(seen).toEqual([
      ...[
        'before todo agent/1/2 of agent',
        'after todo',
        'before delegate agent/1/3 of agent',
        'after delegate',
      ],
      ...['before ask_human agent/1/4 of agent', 'after ask_human'],
    ]);
    expect([result.answer, toolCalls]).toEqual(['Done.', 0]);
    expect(only(events, 'run.started')[0]?.hooks).toBe('all');
    expect(JSON.stringify(turns.asked.at(-1)?.messages)).toContain('the blue one');
    expect(JSON.stringify(turns.asked.at(-1)?.messages)).not.toContain('the red one');
  });

  it('are blocked by a hook that does not answer in the time of a call', async () => {
    const { events } = await run({
      ...person,
      task: { ...aloneTask, limits: { nodeTimeoutMs: 50 } },
      hooks: { preToolCall: () => new Promise(() => undefined) },
      provider: speaking({ agent: inTurn(calling({ name: 'todo' }), 'Done.'), finalizer: () => 'Nothing.' }),
    });
    expect(only(events, 'agent.stopped')).toMatchObject([
      { reason: 'policy', detail: 'preToolCall did not answer within 50 ms' },
    ]);
  });

  it('are not held to hooks of which the log of their run says nothing', async () => {
    const store = new MemoryRunStore();
    await orchestrate({ ...given(store, { ...person, provider: turns, tools: [echoTool(), ask] }) });
    const events = await store.read('r');
    expect(only(events, 'call.hooked')).toEqual([]);
    expect(Object.hasOwn(only(events, 'run.started')[0] ?? {}, 'hooks')).toBe(false);
  });
});

describe('preToolCall of a call by an agent', () => {
  it('changes arguments once, as an amendment that the log holds and that costs no call', async () => {
    const asked: Json[] = [];
    const made: Json[] = [];
    const echo = echoTool('echo', { run: (args) => made.push(args) });
    const hooks: Hooks = {
      preToolCall: ({ args }) => {
        asked.push(args);
        return { args: { value: `${JSON.stringify(args['value']).slice(1, -1)}!` } };
      },
    };
    const { result, events, toolCalls } = await run({ hooks, tools: [echo] });
    expect([asked, made]).toEqual([[{ value: 'x' }], [{ value: 'x!' }]]);
    expect(only(events, 'call.amended')).toMatchObject([{ by: 'hook', args: { value: 'x!' } }]);
    expect(only(events, 'call.started').map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect([result.answer, result.usage.toolCalls, toolCalls]).toEqual(['Done.', 1, 1]);
  });

  it('is not asked again about attempts that follow a change', async () => {
    let asked = 0;
    const made: Json[] = [];
    const echo = echoTool('echo', {
      run: (args) => {
        if (made.push(args) < 2) throw new ToolError('TRANSIENT', 'busy');
        return 'done';
      },
    });
    const hooks: Hooks = {
      preToolCall: () => {
        asked++;
        return { args: { value: 'y' } };
      },
    };
    await run({ hooks, tools: [echo] });
    expect([asked, made]).toEqual([1, [{ value: 'y' }, { value: 'y' }]]);
  });

  it('voids a consent: what it makes of an irreversible call is asked about again', async () => {
    const sent: Json[] = [];
    const asked: Json[] = [];
    await run({
      tools: [sendTool(sent)],
      provider: speaking({ agent: inTurn(calling({ name: 'send', args: { to: 'me' } }), 'Done.') }),
      hooks: { preToolCall: () => ({ args: { to: 'you' } }) },
      approve: ({ args }) => {
        asked.push(args);
        return Promise.resolve({ decision: asked.length === 1 ? 'approved' : 'denied', by: 'me' });
      },
    });
    expect([asked, sent]).toEqual([[{ to: 'me' }, { to: 'you' }], []]);
  });

  it('leads nowhere that policy does not', async () => {
    const fetched: Json[] = [];
    const fetch = echoTool('fetch', {
      input: { type: 'object', properties: { url: { type: 'string' } } },
      argumentKinds: { url: 'url' },
      run: (args) => fetched.push(args),
    });
    const { events } = await run({
      task: { ...aloneTask, policy: { hosts: { allow: ['a.example'] } } },
      tools: [fetch],
      provider: speaking({
        agent: inTurn(calling({ name: 'fetch', args: { url: 'https://a.example' } }), 'Done.'),
      }),
      hooks: { preToolCall: () => ({ args: { url: 'https://b.example' } }) },
    });
    expect(fetched).toEqual([]);
    expect(only(events, 'call.refused')).toMatchObject([{ failure: { code: 'policy_denied' } }]);
  });

  it('blocks a call, and the agent goes no further', async () => {
    const made: Json[] = [];
    const echo = echoTool('echo', { run: (args) => made.push(args) });
    const { events } = await run({ hooks: { preToolCall: () => ({ block: 'not today' }) }, tools: [echo] });
    expect(made).toEqual([]);
    expect(only(events, 'agent.stopped')).toMatchObject([
      { reason: 'policy', detail: 'preToolCall: not today' },
    ]);
  });

  it('holds for the run that is taken up after the change was logged', async () => {
    const whole = new MemoryRunStore();
    let asked = 0;
    const hooks: Hooks = {
      preToolCall: ({ args }) => {
        asked++;
        return { args: { value: `${JSON.stringify(args['value']).slice(1, -1)}!` } };
      },
    };
    await orchestrate(given(whole, { hooks }));
    const events = await whole.read('r');
    const last = events.findIndex(({ type }) => type === 'call.amended');
    const store = await cutOff('r', events.slice(0, last + 1));
    const made: Json[] = [];
    const echo = echoTool('echo', { run: (args) => made.push(args) });
    const provider = speaking({ agent: inTurn(ECHO, 'Done.') });
    const result = await resumeTask('r', { store, hooks, tools: [echo], provider });
    expect([result.answer, made, asked]).toEqual(['Done.', [{ value: 'x!' }], 1]);
  });
});
