import { describe, expect, it, vi } from 'vitest';
import type { FlightEvent } from '../../../src/flight/events.ts';
import {
  answerQuestion,
  listQuestions,
  orchestrate,
  previewResume,
  replayRun,
  resumeTask,
} from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { echoTool, node, only } from '../../support/core.ts';
import { planned, sendTool } from '../../support/composed.ts';

const SEND = node('s', { tool: 'send', args: { to: 'x' } });
const ME = { decision: 'approved', by: 'me' } as const;

async function waiting(nodes: readonly Json[] = [SEND], more: Parameters<typeof planned>[2] = {}) {
  const sent: Json[] = [];
  const run = planned([sendTool(sent), echoTool()], nodes, more);
  expect(await orchestrate(run.options)).toMatchObject({ status: 'waiting', exitCode: 5 });
  return { ...run, sent };
}

describe('an answer to a run that nobody runs', () => {
  it('is logged, and holds when the run is taken up', async () => {
    const { store, sent, again } = await waiting();
    expect(await listQuestions(store)).toMatchObject([
      {
        ...{ runId: 'r1', node: 's', question: 'consent', tool: 'send', effect: 'irreversible' },
        ...{ args: { to: 'x' }, expiresAtMs: null },
      },
    ]);
    expect(await answerQuestion(store, 'r1', 's', { ...ME, reason: 'fine' })).toEqual({
      ...{ runId: 'r1', node: 's', state: 'logged', isRunning: false },
    });
    expect(await listQuestions(store)).toEqual([]);
    expect(sent).toEqual([]);
    expect(await resumeTask('r1', again)).toMatchObject({ status: 'unverified', answer: 'sent to x' });
    expect(sent).toEqual([{ to: 'x' }]);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
  });

  it('is the first one: the loser is told who decided what and when', async () => {
    const { store } = await waiting();
    await answerQuestion(store, 'r1', 's', { decision: 'denied', by: 'ann', reason: 'too soon' });
    const at = only(await store.read('r1'), 'approval.decided').length;
    await expect(answerQuestion(store, 'r1', 's', ME)).rejects.toMatchObject({
      code: 'already_decided',
      message: expect.stringMatching(/^s of run r1: ann said denied on \d{4}-.*Z \(too soon\)$/) as string,
    });
    expect(only(await store.read('r1'), 'approval.decided')).toHaveLength(at);
  });

  it('leaves one winner among many at once', async () => {
    const { store } = await waiting();
    const outcomes = await Promise.allSettled(
      ['ann', 'ben', 'cas'].map((by, index) =>
        answerQuestion(store, 'r1', 's', { decision: index === 1 ? 'denied' : 'approved', by }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(only(await store.read('r1'), 'approval.decided')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'already_decided' });
    }
  });

  it('may change the arguments, which the tool must take', async () => {
    const { store, sent, again } = await waiting();
    await expect(answerQuestion(store, 'r1', 's', { ...ME, args: { to: 3 } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--args /to') as string,
    });
    await expect(answerQuestion(store, 'r1', 's', { ...ME, args: ['x'] })).rejects.toMatchObject({
      code: 'usage',
    });
    await answerQuestion(store, 'r1', 's', { ...ME, args: { to: 'y' } });
    expect(only(await store.read('r1'), 'node.amended')).toMatchObject([{ by: 'person', args: { to: 'y' } }]);
    expect(await resumeTask('r1', again)).toMatchObject({ answer: 'sent to y' });
    expect(sent).toEqual([{ to: 'y' }]);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null });
  });

  it('may say that it was done, with a result that the tool could give', async () => {
    const { store, sent, again } = await waiting();
    await expect(
      answerQuestion(store, 'r1', 's', { decision: 'done', by: 'me', value: { sent: true } }),
    ).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('--done') as string });
    await answerQuestion(store, 'r1', 's', { decision: 'done', by: 'me', value: 'by hand' });
    expect(await resumeTask('r1', again)).toMatchObject({ answer: 'by hand' });
    expect(sent).toEqual([]);
  });

  it('names a node that waits', async () => {
    const { store } = await waiting([node('a'), node('s', { tool: 'send', args: { to: 'x' }, deps: ['a'] })]);
    await expect(answerQuestion(store, 'r1', 'a', ME)).rejects.toMatchObject({
      code: 'no_question',
      message: 'node a of run r1 waits for nobody',
    });
    await expect(answerQuestion(store, 'r1', 'z', ME)).rejects.toMatchObject({
      code: 'no_question',
      message: 'run r1 has no node z',
    });
    await expect(answerQuestion(store, 'r2', 's', ME)).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('may come to several gates in any order, each with its own arguments; what needs none is kept', async () => {
    const nodes = [
      node('a', { args: { value: 1 } }),
      node('s', { tool: 'send', args: { to: 'x' } }),
      node('t', { tool: 'send', args: { to: 'y' } }),
      node('end', { deps: ['a', 's', 't'] }),
    ];
    const { store, sent, again } = await waiting(nodes);
    expect((await listQuestions(store)).map((question) => question.node)).toEqual(['s', 't']);
    await answerQuestion(store, 'r1', 't', { ...ME, args: { to: 'z' } });
    expect(await resumeTask('r1', again)).toMatchObject({ status: 'waiting' });
    expect(sent).toEqual([{ to: 'z' }]);
    await answerQuestion(store, 'r1', 's', ME);
    expect(await resumeTask('r1', again)).toMatchObject({ status: 'unverified' });
    expect(sent).toEqual([{ to: 'z' }, { to: 'x' }]);
    expect(only(await store.read('r1'), 'node.started').map((event) => event.node)).toEqual([
      'a',
      't',
      's',
      'end',
    ]);
  });

  it('may be given to a run whose process died, at whatever event', async () => {
    const nodes = [node('a', { args: { value: 1 } }), SEND, node('end', { deps: ['a', 's'] })];
    const { store } = await waiting(nodes);
    const whole = await store.read('r1');
    const asked = whole.findIndex(({ type }) => type === 'approval.requested');
    for (let length = asked + 1; length < whole.length; length++) {
      const sent: Json[] = [];
      const crashed = planned([sendTool(sent), echoTool()], nodes);
      const run = await crashed.store.create('r1');
      for (const event of whole.slice(0, length)) run.log.append(event);
      await run.log.close();
      await answerQuestion(crashed.store, 'r1', 's', ME);
      expect(await resumeTask('r1', crashed.again)).toMatchObject({ status: 'unverified' });
      expect(sent).toHaveLength(1);
      const report = await replayRun('r1', { store: crashed.store, strict: true });
      expect(report, `after event ${length - 1}`).toMatchObject({ divergence: null });
    }
  });
});

describe('an answer to a run that goes on', () => {
  it('reaches it through its inbox while a node waits, and the sender hears what was decided', async () => {
    const sent: Json[] = [];
    const never = () => new Promise<never>(() => undefined);
    const { store, options } = planned([sendTool(sent)], [SEND]);
    const ended = orchestrate({ ...options, approve: never });
    await expect.poll(() => listQuestions(store)).toHaveLength(1);
    const outcomes = await Promise.allSettled([
      answerQuestion(store, 'r1', 's', { ...ME, args: { to: 'y' } }),
      answerQuestion(store, 'r1', 's', { decision: 'denied', by: 'ann' }),
    ]);
    expect(outcomes[0]).toMatchObject({ status: 'fulfilled', value: { state: 'logged' } });
    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'already_decided' } });
    expect(await ended).toMatchObject({ status: 'unverified', answer: 'sent to y' });
    expect(sent).toEqual([{ to: 'y' }]);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null });
  });

  it('comes before the person at the terminal, whose question is taken back', async () => {
    const { store, options } = planned([sendTool([])], [SEND]);
    let isTakenBack = false;
    const approve = (question: { signal: AbortSignal }) =>
      new Promise<typeof ME>((resolve) => {
        question.signal.addEventListener('abort', () => {
          isTakenBack = true;
          resolve(ME);
        });
      });
    const ended = orchestrate({ ...options, approve });
    await expect.poll(() => listQuestions(store)).toHaveLength(1);
    await answerQuestion(store, 'r1', 's', { decision: 'denied', by: 'ann' });
    expect(await ended).toMatchObject({ status: 'failed' });
    expect(isTakenBack).toBe(true);
    expect(only(await store.read('r1'), 'approval.decided')).toMatchObject([
      { by: 'ann', decision: 'denied' },
    ]);
  });
});

describe('an answer that was posted and that nobody has taken', () => {
  const posted = (node: string, question: number, decision: 'approved' | 'denied') => ({
    ...{ id: `from ${node}`, node, question, decision, by: 'ann' },
  });

  it('is logged before the run is taken up, so that it is not asked again, and told of first', async () => {
    const nodes = [SEND, node('t', { tool: 'send', args: { to: 'y' } }), node('end', { deps: ['s', 't'] })];
    const { store, sent, again } = await waiting(nodes);
    const [s, t] = only(await store.read('r1'), 'approval.requested') as unknown as { seq: number }[];
    await store.post('r1', posted('s', s!.seq, 'approved'));
    // Whoever comes second is not heard, and what is no answer is passed over.
    await store.post('r1', posted('s', s!.seq, 'denied'));
    await store.post('r1', { odd: true });
    expect(await previewResume('r1', again)).toMatchObject({ waiting: ['t'], pending: ['s', 'end'] });
    await store.post('r1', posted('t', t!.seq, 'approved'));
    expect(await resumeTask('r1', again)).toMatchObject({ status: 'unverified' });
    expect(sent).toEqual([{ to: 'x' }, { to: 'y' }]);
    const decided = only(await store.read('r1'), 'approval.decided');
    expect(decided).toMatchObject([
      { node: 's', decision: 'approved', atRest: true },
      { node: 't', decision: 'approved', atRest: true },
    ]);
    expect(only(await store.read('r1'), 'run.resumed')).toHaveLength(1);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
  });

  it('holds no credential that is known', async () => {
    const { store, again } = await waiting();
    const [question] = only(await store.read('r1'), 'approval.requested') as unknown as { seq: number }[];
    vi.stubEnv('OPENAI_API_KEY', 'a-key-that-is-known');
    await store.post('r1', {
      ...posted('s', question!.seq, 'denied'),
      reason: 'a-key-that-is-known is wrong',
    });
    await resumeTask('r1', again);
    vi.unstubAllEnvs();
    expect(only(await store.read('r1'), 'approval.decided')).toMatchObject([{ reason: '[masked] is wrong' }]);
  });
});

describe('the list of open questions', () => {
  it('reads no log again that has not changed', async () => {
    const { store } = await waiting();
    await orchestrate({ ...planned([echoTool()], [node('a')]).options, store, runId: 'r2' });
    const asked: string[] = [];
    const counting = Object.assign(Object.create(store) as typeof store, {
      derive: (run: string, name: string, from: (events: readonly FlightEvent[]) => Json) =>
        store.derive(run, name, (events) => {
          asked.push(run);
          return from(events);
        }),
      read: () => Promise.reject(new Error('a whole log is read')),
      list: () => store.list(),
    });
    expect(await listQuestions(counting)).toMatchObject([{ runId: 'r1', node: 's' }]);
    expect(asked).toEqual(['r2', 'r1']);
  });
});

describe('a standing consent', () => {
  const tools = [echoTool('save', { effect: 'write', run: () => 'saved' }), sendTool([])];
  const task = { policy: { approve: 'all' as const } };
  const approve = () => Promise.resolve({ decision: 'approved', by: '--yes' } as const);

  it('for what writes leaves what is irreversible waiting', async () => {
    const { options } = planned(tools, [
      node('w', { tool: 'save' }),
      SEND,
      node('end', { tool: 'save', deps: ['w', 's'] }),
    ]);
    const withPolicy = { ...options, task: { ...options.task, ...task } };
    const ended = await orchestrate({ ...withPolicy, approve, approves: 'write' });
    expect(ended).toMatchObject({ status: 'waiting' });
    expect(ended.nodes.map(({ id, state }) => [id, state])).toEqual([
      ['w', 'done'],
      ['s', 'waiting'],
      ['end', 'pending'],
    ]);
  });

  it('for all calls is none about a call whose outcome is unknown', async () => {
    const late = sendTool([]);
    const { options } = planned(
      [
        {
          ...late,
          spec: { ...late.spec, timeoutMs: 1 },
          run: () => new Promise(() => undefined),
        },
      ],
      [SEND],
    );
    const short = { ...options, task: { ...options.task, limits: { graceMs: 1 } } };
    const ended = await orchestrate({ ...short, approve, approves: 'consent' });
    expect(ended).toMatchObject({ status: 'waiting' });
  });
});

describe('a question that nobody answers in time', () => {
  const timed = (seconds: number) => ({ policy: { approvalTimeoutSeconds: seconds } });

  it('counts as denied, while the run goes on', async () => {
    const { store, options } = planned([sendTool([])], [SEND]);
    const events: FlightEvent[] = [];
    const ended = await orchestrate({
      ...options,
      task: { ...options.task, ...timed(0.02) },
      approve: () => new Promise(() => undefined),
      onEvent: (event) => events.push(event),
    });
    expect(ended).toMatchObject({ status: 'failed' });
    expect(only(events, 'approval.decided')).toMatchObject([
      { decision: 'denied', by: 'nobody', expired: true, reason: 'no answer within 0.02 s' },
    ]);
    expect(only(events, 'node.refused')).toMatchObject([{ node: 's', by: 'policy' }]);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null });
  });

  it('counts as denied when the run is taken up, and takes no answer before', async () => {
    const { store, options, again } = planned([sendTool([])], [SEND]);
    expect(await orchestrate({ ...options, task: { ...options.task, ...timed(0.001) } })).toMatchObject({
      status: 'waiting',
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(answerQuestion(store, 'r1', 's', ME)).rejects.toMatchObject({ code: 'already_decided' });
    expect(await resumeTask('r1', again)).toMatchObject({ status: 'failed' });
  });
});
