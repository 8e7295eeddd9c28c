/* A run whose work agents do, as its page and `orchestrate show` have it. */
import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../../../src/flight/events.ts';
import { describeNodeDetail } from '../../../../src/views/page/node-detail.ts';
import { buildPageModel, type PageModel } from '../../../../src/views/page/page-model.ts';
import type { WaterfallRow } from '../../../../src/views/page/waterfall-rows.ts';
import { readRun } from '../../../../src/views/read-run.ts';
import { renderTimeline } from '../../../../src/views/timeline.ts';
import { agentRun, calling, eventsOf, familyRun, inTurn } from '../../../support/agent-run.ts';
import { echoTool } from '../../../support/core.ts';
import { resumedRun } from '../../../support/engine-run.ts';
import { readGolden } from '../../../support/golden.ts';

const draw = ({ waterfall }: PageModel): string[] =>
  waterfall.rows.map(
    ({ depth, kind, label, state, bars }) =>
      `${'  '.repeat(depth)}${kind} ${label} ${state}: ${bars.map((bar) => bar.kind).join(' ')}`,
  );

const rowOf = (model: PageModel, id: string): WaterfallRow | undefined =>
  model.waterfall.rows.find((row) => row.id === id);

describe('the waterfall of agents', () => {
  it('has what each agent called below it, its children with theirs', async () => {
    const events = await eventsOf(familyRun());
    expect(draw(buildPageModel(events))).toEqual([
      'node agent done: done',
      '  call agent done: done',
      '  tool look_up done: done',
      '  agent delegate done: done',
      '    call agent done: done',
      '    tool look_up done: done',
      '    call agent done: done',
      '  call agent done: done',
    ]);
    const shown = renderTimeline(events, { width: 80 }).map((line) => /^ *\w+/.exec(line)?.[0]);
    expect(shown.slice(1)).toEqual([
      ...['agent', '  agent', '  look_up', '  delegate', '    agent', '    look_up', '    agent', '  agent'],
    ]);
  });

  it('shows what is under way as it is', async () => {
    const events = await eventsOf(familyRun());
    const cut = events.findIndex((event) => event.type === 'call.started' && event.agent === 'agent/1/3');
    expect(draw(buildPageModel(events.slice(0, cut + 1), Date.now()))).toEqual([
      'node agent running: running',
      '  call agent done: done',
      '  tool look_up done: done',
      '  agent delegate running: running',
      '    call agent done: done',
      '    tool look_up running: running',
    ]);
  });

  it('goes on in the process after, the node under way again', async () => {
    const events = await eventsOf(familyRun());
    const cut = events.findIndex((event) => event.type === 'call.started' && event.agent === 'agent/1/3');
    const resumed = resumedRun(familyRun(), events.slice(0, cut + 1));
    await resumed.driver.run();
    const again = resumed.events.slice(0, cut + 3);
    expect(again.at(-2)?.type).toBe('run.resumed');
    expect(readRun(again).nodes.get('agent')?.status).toBe('running');
    expect(draw(buildPageModel(resumed.events))).toEqual([
      'node agent done: lost done',
      '  call agent done: done',
      '  tool look_up done: done',
      '  agent delegate done: lost done',
      '    call agent done: done',
      '    tool look_up done: lost done',
      '    call agent done: done',
      '  call agent done: done',
    ]);
  });

  it('hatches the wait for a person at the call that is asked about, and counts it as no work', async () => {
    const events = await readGolden('agent-denied-v1');
    const model = buildPageModel(events);
    expect(rowOf(model, 'call agent/1/2')).toMatchObject({ kind: 'tool', label: 'send', state: 'refused' });
    expect(rowOf(model, 'call agent/1/2')?.bars.map(({ kind }) => kind)).toEqual(['waiting']);
    const asked = events.find(({ type }) => type === 'approval.requested');
    const decided = events.find(({ type }) => type === 'approval.decided');
    expect(model.clock.waitMs).toBeCloseTo((decided?.at ?? 0) - (asked?.at ?? 0), 6);
    expect(model.questions).toEqual([]);
    const open = buildPageModel(events.slice(0, (asked?.seq ?? 0) + 1), (asked?.at ?? 0) + 60_000);
    expect(open.questions).toMatchObject([{ node: 'agent/1/2', tool: 'send' }]);
    expect(rowOf(open, 'call agent/1/2')?.state).toBe('waiting');
    expect(open.clock.waitMs).toBe(60_000);
  });

  it('names the exchanges of a session by themselves', async () => {
    expect(draw(buildPageModel(await readGolden('agent-session-v1')))).toEqual([
      'agent chat/1 cancelled: cancelled',
      '  call agent done: done',
      '  tool hangs failed: failed',
      'agent chat/2 done: done',
      '  call agent done: done',
      '  tool look_up done: done',
      '  call agent done: done',
    ]);
  });

  it('has each row once and nothing without an end in a run that has ended', async () => {
    const { waterfall } = buildPageModel(await readGolden('agent-laborious-v1'));
    expect(new Set(waterfall.rows.map(({ id }) => id)).size).toBe(waterfall.rows.length);
    expect(waterfall.rows.flatMap(({ bars }) => bars).filter(({ endMs }) => endMs === null)).toEqual([]);
    expect(waterfall.rows.flatMap(({ bars }) => bars).filter(({ kind }) => kind === 'lost')).toEqual([]);
  });

  it('has below a call of an agent what its tool asks a model', async () => {
    const asking = echoTool('ask', { run: (_, { ask }) => ask('worker', { prompt: 'How many?' }) });
    const run = agentRun(
      { agent: inTurn(calling({ name: 'ask', args: {} }), 'Done.'), worker: () => 'Many.' },
      { tools: [asking] },
    );
    expect(draw(buildPageModel(await eventsOf(run)))).toEqual([
      'node agent done: done',
      '  call agent done: done',
      '  tool ask done: done',
      '    call worker done: done',
      '  call agent done: done',
    ]);
  });
});

describe('the details of agents', () => {
  it('hold arguments and results of their calls, and the agents of a node', async () => {
    const model = buildPageModel(await eventsOf(familyRun()));
    const detail = describeNodeDetail(model, 'agent');
    expect(
      detail?.agents.map(({ started, rounds, finished }) => [started.task, rounds, finished?.status]),
    ).toEqual([
      ['Reach the goal.', 2, 'completed'],
      ['count them', 2, 'completed'],
    ]);
    const looks = (detail?.calls ?? []).filter(({ kind }) => kind === 'tool');
    expect(looks.map(({ args, result }) => [args, result])).toEqual([
      [{ city: 'Rome' }, { city: 'Rome', population: 13_960_000 }],
      [{ city: 'Oslo' }, { city: 'Oslo', population: 13_960_000 }],
    ]);
  });

  it('hold what a hook made of the arguments', async () => {
    const { waterfall } = buildPageModel(await readGolden('hook-changed-agent-v1'));
    expect(waterfall.calls.get('agent/1/2')?.map(({ args }) => args)).toEqual([
      { to: expect.not.stringContaining('archive') as string },
      { to: 'the archive' },
    ]);
  });

  it('count the calls of agents as those of tools, and models apart', async () => {
    const { steps } = buildPageModel(await eventsOf(familyRun()));
    const counted = steps.map(({ kind, name, calls }) => `${kind} ${name} ${calls}`).sort();
    expect(counted).toEqual(['model agent 4', 'tool delegate 1', 'tool look_up 2']);
  });
});

describe('questions of agents', () => {
  it('are closed where their calls are not made any more', async () => {
    const events = await readGolden('agent-denied-v1');
    const asked = events.slice(0, events.findIndex(({ type }) => type === 'approval.requested') + 1);
    const last = asked.at(-1);
    const refused = {
      ...{ seq: (last?.seq ?? 0) + 1, at: last?.at ?? 0, type: 'call.refused', agent: 'agent/1' },
      ...{ key: 'agent/1/2', failure: { code: 'aborted', class: 'PERMANENT', message: 'over' } },
    } as FlightEvent;
    expect(buildPageModel(asked).questions).toHaveLength(1);
    expect(buildPageModel([...asked, refused]).questions).toEqual([]);
  });
});
