/* A run with agents in the views: the rows of its waterfall, and why it went as it did. */
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { orchestrate, resumeTask, type RunOptions, ToolError } from '../../../src/index.ts';
import { buildPageModel } from '../../../src/views/page/page-model.ts';
import { explain } from '../../../src/views/why.ts';
import { aloneTask, calling, inTurn, lookUp, speaking } from '../../support/agent-run.ts';
import { cutOff, sendTool } from '../../support/composed.ts';
import { echoTool } from '../../support/core.ts';

function given(store: MemoryRunStore): RunOptions {
  let tries = 0;
  const flaky = echoTool('flaky', {
    run: () => {
      if (++tries < 2) throw new ToolError('TRANSIENT', 'busy');
      return 'at last';
    },
  });
  const parent = inTurn(
    calling(
      { name: 'flaky', args: { value: 'x' } },
      { name: 'delegate', args: { task: 'Count them.', tools: ['look_up'] } },
      { name: 'nowhere', args: {} },
      { name: 'send', args: { to: 'ann' } },
    ),
    'Done.',
  );
  const child = inTurn(calling({ name: 'look_up', args: { city: 'Oslo' } }), 'Counted.');
  return {
    ...{ task: aloneTask, store, runId: 'r', workspace: '/', tools: [lookUp, flaky, sendTool([])] },
    approve: () => Promise.resolve({ decision: 'approved', by: 'ann' }),
    provider: speaking({
      agent: (request, key) => (offers(request, 'delegate') ? parent : child)(request, key),
    }),
  };
}

function offers({ tools = [] }: { tools?: readonly { name: string }[] }, name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

async function eventsOf(): Promise<FlightEvent[]> {
  const store = new MemoryRunStore();
  await orchestrate(given(store));
  return [...(await store.read('r'))];
}

type Rows = ReturnType<typeof buildPageModel>['waterfall']['rows'];

function barsOf(rows: Rows): [string, string[]][] {
  return rows.map(({ label, bars }) => [label, bars.map(({ kind }) => kind)]);
}

describe('the rows of a run with agents', () => {
  it('are its questions and calls below its node, those handed on with what came of them', async () => {
    const { rows } = buildPageModel(await eventsOf()).waterfall;
    expect(barsOf(rows)).toEqual([
      ['agent', ['done']],
      ['agent', ['done']],
      ['flaky', ['again', 'done']],
      ['delegate', ['done']],
      ['agent', ['done']],
      ['look_up', ['done']],
      ['agent', ['done']],
      ['send', ['waiting', 'done']],
      ['agent', ['done']],
    ]);
    expect(rows.map(({ depth }) => depth)).toEqual([0, 1, 1, 1, 2, 2, 2, 1, 1]);
    expect(rows.flatMap(({ bars }) => bars).filter(({ endMs }) => endMs === null)).toEqual([]);
  });

  it('go on in the process that took the run up, where an agent does', async () => {
    const events = await eventsOf();
    const cut = events.findIndex((event) => event.type === 'call.started' && event.tool === 'look_up') + 1;
    const store = await cutOff('r', events.slice(0, cut));
    expect((await resumeTask('r', given(store))).answer).toBe('Done.');
    const rows = barsOf(buildPageModel(await store.read('r')).waterfall.rows);
    expect(rows[0]).toEqual(['agent', ['lost', 'done']]);
    expect(rows.filter(([label]) => label === 'delegate' || label === 'look_up')).toEqual([
      ['delegate', ['lost', 'done']],
      ['look_up', ['lost', 'done']],
    ]);
  });
});

describe('why', () => {
  it('tells of the node what its agent did, failed to do and was not let do', async () => {
    const lines = explain(await eventsOf(), 'agent')
      .split('\n')
      .map((line) => line.replace(/^ *#?\d* */, '').replace(/(after|in) \d+ ms/, '$1 N ms'));
    expect(lines).toEqual([
      '"agent" (delegate) is done',
      'plan 1 calls for it and makes it the output; it needs no other node',
      'attempt 1 was handed to an agent',
      expect.stringMatching(/^the agent "agent\/1" began: \d+ tools, 500 turns at most$/) as string,
      'the agent "agent/1/3" began, handed on by "agent/1": 1 tool, 50 turns at most',
      expect.stringMatching(/^the call agent\/1\/4 was not made: there is no tool "nowhere"/) as string,
      'the call agent/1/2 failed: busy (tool_transient, TRANSIENT)',
      'the agent "agent/1/3" ended completed',
      'the call agent/1/5 (send) waits for the approval of a person',
      'ann approved the call agent/1/5',
      'the agent "agent/1" ended completed',
      'attempt 1 gave its result after N ms',
      'the critic judged its result: pass (none)',
    ]);
  });

  it('tells of a run whose agent stopped why it went no further', async () => {
    const store = new MemoryRunStore();
    await orchestrate({
      ...given(store),
      provider: speaking({
        agent: () => calling({ name: 'look_up', args: { city: 'Oslo' } }),
        finalizer: () => 'What there is.',
        critic: () => '',
      }),
    });
    const text = explain(await store.read('r'), 'agent');
    expect(text).toContain('was not made: not made: the same call had the same result twice before');
    expect(text).toContain('the agent "agent/1" went no further: repeated_call (look_up, as in agent/1/2)');
    expect(text).toContain('the agent "agent/1" ended partial (repeated_call)');
  });
});
