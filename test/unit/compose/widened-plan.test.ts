import { expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import {
  answerQuestion,
  listQuestions,
  orchestrate,
  replayRun,
  resumeTask,
  ToolError,
} from '../../../src/index.ts';
import { buildPageModel } from '../../../src/views/page/page-model.ts';
import { summarizeRun } from '../../../src/views/summary.ts';
import { explain } from '../../../src/views/why.ts';
import { byRole } from '../../support/composed.ts';
import { echoTool, node, only, plan } from '../../support/core.ts';

const bad = echoTool('bad', {
  run: () => {
    throw new ToolError('MISSING_INFO', 'ask other.example');
  },
});
const tools = [bad, echoTool('other')];
const provider = byRole({
  planner: JSON.stringify(plan(node('first', { tool: 'bad' }))),
  replanner: JSON.stringify(plan(node('second', { tool: 'other', args: { value: 'x' } }))),
}).provider;
const TASK = { name: 'widened', goal: 'Go.', verify: { judge: 'off' } } as const;

async function waiting() {
  const store = new MemoryRunStore();
  const result = await orchestrate({ task: TASK, tools, provider, store, runId: 'r', workspace: '/' });
  expect(result.status).toBe('waiting');
  return store;
}

it('a replan that adds a tool is a question like any other, and runs once it is approved', async () => {
  const store = await waiting();
  expect(await listQuestions(store)).toMatchObject([
    { node: 'plan-2', question: 'plan', args: { tools: ['other'], targets: [], irreversible: [] } },
  ]);
  await expect(
    answerQuestion(store, 'r', 'plan-2', { decision: 'approved', by: 'me', args: {} }),
  ).rejects.toThrow('as it stands');
  await answerQuestion(store, 'r', 'plan-2', { decision: 'approved', by: 'me' });
  const result = await resumeTask('r', { store, tools, provider });
  expect([result.status, result.answer]).toEqual(['unverified', 'x']);
  const events = await store.read('r');
  expect(only(events, 'plan.accepted')).toHaveLength(2);
  expect((await replayRun('r', { store, strict: true })).divergence).toBeNull();
  const waited = events.slice(
    0,
    events.findIndex(({ type }) => type === 'run.resumed'),
  );
  for (const shown of [waited, events]) {
    expect(buildPageModel(shown)).toBeDefined();
    expect(explain(shown)).toContain('first');
    expect(summarizeRun(shown)).toBeDefined();
  }
});

it('that is denied is planned anew, and never run', async () => {
  const store = await waiting();
  await answerQuestion(store, 'r', 'plan-2', { decision: 'denied', by: 'me' });
  const result = await resumeTask('r', { store, tools, provider });
  expect(result).toMatchObject({ status: 'failed', failure: { code: 'plan_unobtainable' } });
  const events = await store.read('r');
  expect(only(events, 'node.started').map((event) => event.node)).toEqual(['first']);
});
