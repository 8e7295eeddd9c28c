/* Agents as the work of a run: the whole task, or one node of a plan. */
import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/engine/replay.ts';
import type { TaskInput } from '../../../src/contracts/task.ts';
import { ToolError } from '../../../src/kernel/errors.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { toRunResult } from '../../../src/run/run-result.ts';
import { agentRun, calling, inTurn, lookUp } from '../../support/agent-run.ts';
import { sendTool } from '../../support/composed.ts';
import { echoTool, node, only, plan, types } from '../../support/core.ts';
import { engineRun, resumedRun } from '../../support/engine-run.ts';

const LOOK = calling({ name: 'look_up', args: { city: 'Tokyo' } });

describe('a task in agent mode', () => {
  it('runs one agent, verifies its answer and replays', async () => {
    const run = agentRun(
      { agent: inTurn(LOOK, 'Tokyo has 13960000 people.') },
      { task: { verify: { judge: 'off', checks: [{ includes: 'Tokyo' }, { grounded: true }] } } },
    );
    const { driver, events } = engineRun(run);
    const state = await driver.run();
    expect(types(events).filter((type) => type !== 'agent.requested' && type !== 'agent.recalled')).toEqual([
      ...['run.started', 'catalogue.published', 'plan.accepted', 'level.started', 'node.started'],
      ...['agent.started', 'agent.briefed'],
      ...['round.started', 'model.requested', 'model.answered', 'turn.read', 'call.started', 'call.returned'],
      ...['round.observed', 'round.ended'],
      ...['round.started', 'model.requested', 'model.answered', 'turn.read', 'round.ended'],
      ...['agent.finished', 'node.done', 'verdict.reached', 'run.finished'],
    ]);
    expect(toRunResult(state, null)).toMatchObject({
      status: 'verified',
      answer: 'Tokyo has 13960000 people.',
      nodes: [{ id: 'agent', tool: 'delegate', state: 'done' }],
    });
    expect(only(events, 'call.returned')).toHaveLength(1);
    expect(replay(events, true)).toMatchObject({ divergence: null, isComplete: true });
  });
});

describe('an agent in the place of a whole plan', () => {
  it('is sent back once with what the checks found, in the conversation that it had', async () => {
    const run = agentRun(
      { agent: inTurn(LOOK, 'A city has many people.', 'Tokyo has 13960000 people.') },
      { task: { verify: { judge: 'off', checks: [{ includes: 'Tokyo' }] } } },
    );
    const { driver, events } = engineRun(run);
    const state = await driver.run();
    expect(state.finished?.status).toBe('verified');
    expect(only(events, 'agent.started').map(({ agent, continues }) => [agent, continues])).toEqual([
      ['agent/1', undefined],
      ['agent/2', 'agent/1'],
    ]);
    expect(JSON.stringify(run.provider.asked.at(-1)?.messages)).toContain(
      'Your answer was checked and refused',
    );
    expect(replay(events, true).divergence).toBeNull();
  });

  it('that does not come to an end is no success, and what it found is the partial result', async () => {
    let count = 0;
    const run = agentRun(
      {
        agent: () => calling({ name: 'look_up', args: { city: `c${count++}` } }),
        evaluator: () => '{"completion": 0.1}',
        finalizer: () => 'Found some cities.',
      },
      { task: { agent: { rounds: 3 } } },
    );
    const { driver, events } = engineRun(run);
    const result = toRunResult(await driver.run(), null);
    expect(result).toMatchObject({
      status: 'failed',
      failure: { code: 'agent_incomplete', details: { reason: 'rounds' } },
      answer: null,
      partial: 'Found some cities.',
    });
    expect(only(events, 'agent.stopped')).toMatchObject([{ reason: 'rounds' }]);
    expect(replay(events, true).divergence).toBeNull();
  });

  it('that the budget stops writes up what it has, which is the partial result', async () => {
    let count = 0;
    const run = agentRun(
      {
        agent: () => calling({ name: 'look_up', args: { city: `c${count++}` } }),
        finalizer: () => 'Found some cities.',
      },
      { task: { budget: { llmCalls: 4 }, agent: { scoreEvery: 0 } } },
    );
    const { driver, events } = engineRun(run);
    const result = toRunResult(await driver.run(), null);
    expect(result).toMatchObject({ status: 'budget', partial: 'Found some cities.', usage: { llmCalls: 4 } });
    expect(run.provider.asked.map(({ role }) => role)).toEqual(['agent', 'agent', 'agent', 'finalizer']);
    expect(replay(events, true).divergence).toBeNull();
  });

  it('waits where nobody is there to consent, and the run with it', async () => {
    const sent: Json[] = [];
    const send = calling({ name: 'send', args: { to: 'ann' } });
    const run = agentRun({ agent: inTurn(send, 'Sent.') }, { tools: [sendTool(sent)] });
    const { driver, events } = engineRun(run);
    const state = await driver.run();
    expect(state.finished?.status).toBe('waiting');
    const [question] = [...state.questions.values()];
    expect(question).toMatchObject({ node: 'agent/1/2', call: 'agent/1/2', tool: 'send' });
    const resumed = resumedRun({ ...run, attended: true }, events);
    resumed.driver.submit({
      ...{ type: 'approval.decided', node: 'agent/1/2', call: 'agent/1/2', by: 'ann', decision: 'approved' },
      argsHash: question?.argsHash ?? '',
    });
    expect((await resumed.driver.run()).finished?.status).toBe('unverified');
    expect(sent).toEqual([{ to: 'ann' }]);
    expect(replay(resumed.events, true).divergence).toBeNull();
  });

  it('ends early with the run and goes on where it was', async () => {
    const slow = echoTool('slow', { run: (_args, { signal }) => rejectOnAbort(signal) });
    const turns = inTurn(LOOK, calling({ name: 'slow' }), 'Tokyo.');
    const run = agentRun({ agent: turns }, { tools: [lookUp, slow] });
    const { driver, events } = engineRun({
      ...run,
      ports: {
        onEvent: (event) => {
          if (event.type === 'call.started' && event.tool === 'slow') driver.cancel('enough');
        },
      },
    });
    expect((await driver.run()).isInterrupted).toBe(true);
    expect(events.at(-1)?.type).toBe('run.interrupted');
    const quick = { ...run, tools: [lookUp, echoTool('slow'), ...run.tools.slice(2)] };
    const resumed = resumedRun(quick, events);
    expect((await resumed.driver.run()).finished?.status).toBe('unverified');
    expect(only(resumed.events, 'agent.started')).toHaveLength(1);
    expect(only(resumed.events, 'agent.interrupted')).toHaveLength(0);
    expect(replay(resumed.events, true).divergence).toBeNull();
  });
});

describe('a node that is delegated', () => {
  const delegated = (args: Json) => JSON.stringify(plan(node('work', { tool: 'delegate', args })));

  it('is refused tools that do not exist and more turns than the cap, not given fewer', async () => {
    for (const args of [
      { task: 't', tools: ['nothing'] },
      { task: 't', max_iterations: 501 },
    ]) {
      const run = agentRun(
        { planner: () => delegated(args) },
        { task: { mode: 'plan', agent: {}, limits: { replans: 0 } } },
      );
      const { driver, events } = engineRun(run);
      expect((await driver.run()).finished?.status).toMatch(/failed|budget/);
      expect(only(events, 'agent.started')).toHaveLength(0);
    }
  });

  it('gets only the tools that its node names', async () => {
    const run = agentRun(
      {
        planner: () => delegated({ task: 't', tools: ['look_up'] }),
        agent: inTurn(calling({ name: 'echo' }), 'None.'),
      },
      { tools: [lookUp, echoTool()], task: { mode: 'plan', agent: {} } },
    );
    const { driver, events } = engineRun(run);
    await driver.run();
    expect(only(events, 'call.started')).toHaveLength(0);
    expect(only(events, 'call.refused')).toMatchObject([{ failure: { code: 'tool_misuse' } }]);
  });
});

describe('a tool that failed for good', () => {
  const lost = echoTool('lost', {
    output: { type: 'number' },
    run: () => {
      throw new ToolError('PERMANENT', 'gone');
    },
  });
  const code = echoTool('run_javascript', {
    input: { type: 'object', properties: { code: { type: 'string' } } },
    run: () => 42,
  });
  const task = (onToolFailure: 'code' | 'report' | 'replan'): Partial<TaskInput> => ({
    ...{ mode: 'plan', onToolFailure, limits: { attempts: 1, replans: 1 } },
  });
  const says = (answer: string) => ({
    planner: () => JSON.stringify(plan(node('sum', { tool: 'lost', args: { value: 1 } }))),
    replanner: () => JSON.stringify(plan(node('other', { args: { value: 2 } }))),
    agent: inTurn(calling({ name: 'run_javascript', args: { code: '40 + 2' } }), answer),
  });

  it('is done by code, and its result is what the schema says', async () => {
    const run = agentRun(says('42'), { tools: [lost, code, echoTool()], task: task('code') });
    const { driver, events } = engineRun(run);
    expect(toRunResult(await driver.run(), null)).toMatchObject({ status: 'unverified', answer: 42 });
    expect(only(events, 'agent.started')[0]?.grant.tools).toEqual(['run_javascript']);
    expect(replay(events, true).divergence).toBeNull();
  });

  it('is planned around where the code gives something else', async () => {
    const run = agentRun(says('no number'), { tools: [lost, code, echoTool()], task: task('code') });
    const { driver, events } = engineRun(run);
    expect(toRunResult(await driver.run(), null)).toMatchObject({ status: 'unverified', answer: 2 });
    expect(only(events, 'node.failed')).toMatchObject([{ failure: { code: 'tool_output_invalid' } }]);
    expect(replay(events, true).divergence).toBeNull();
  });

  it('is reported at once where the task says so', async () => {
    const run = agentRun(says(''), { tools: [lost, code, echoTool()], task: task('report') });
    const { driver, events } = engineRun(run);
    expect((await driver.run()).finished?.status).toBe('failed');
    expect(only(events, 'replan.started')).toHaveLength(0);
  });
});

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });
}
