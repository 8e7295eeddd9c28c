/* Runs in which policy has a person asked, and runs with hooks. */
import type { Hooks } from '../../src/contracts/hooks.ts';
import { type RunOptions, ToolError } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { askHuman } from '../../src/tools/builtin/ask-human.ts';
import { calling, inTurn, speaking } from '../support/agent-run.ts';
import { byRole, sendTool } from '../support/composed.ts';
import { echoTool, node, plan } from '../support/core.ts';
import { tools as guarded } from '../support/guarded-run.ts';
import type { Scenarios } from './scenario.ts';

const bad = echoTool('bad', {
  run: () => {
    throw new ToolError('MISSING_INFO', 'ask somebody else');
  },
});
const TASK = { name: 'guarded', goal: 'Go.', verify: { judge: 'off' as const } };

/** A run whose plan is this one, and where it cannot be carried out the other; a person says the same to every question. */
function guard(nodes: readonly Json[], decision: 'approved' | 'denied', replan?: Json): RunOptions {
  const replies = { planner: JSON.stringify(plan(...nodes)), replanner: JSON.stringify(replan ?? null) };
  return {
    ...{ task: TASK, tools: [...guarded, bad], provider: byRole(replies).provider, workspace: '/workspace' },
    approve: () => Promise.resolve({ decision, by: 'ann' }),
  };
}

const change: Hooks = { preToolCall: ({ args }) => ({ args: { ...args, to: 'the archive' } }) };

function hooked(hooks: Hooks): RunOptions {
  return {
    ...{ task: TASK, tools: [sendTool([])], hooks, workspace: '/workspace' },
    provider: byRole({ planner: JSON.stringify(plan(node('send', { tool: 'send', args: { to: 'all' } }))) })
      .provider,
    approve: () => Promise.resolve({ decision: 'approved', by: 'ann' }),
  };
}

export const guardScenarios: Scenarios = {
  'guard-tainted': () =>
    guard(
      [
        node('page', { tool: 'page', args: { value: 'notes.md' } }),
        node('file', { tool: 'file', args: { to: { $ref: 'page' }, value: 'written' } }),
      ],
      'approved',
    ),
  'guard-dangerous': () =>
    guard([node('clean', { tool: 'shell', args: { to: 'rm -rf build', value: 'ran' } })], 'approved'),
  'guard-widened': () =>
    guard([node('first', { tool: 'bad' })], 'approved', plan(node('second', { args: { value: 'found' } }))),
  'guard-widened-denied': () =>
    guard([node('first', { tool: 'bad' })], 'denied', plan(node('second', { args: { value: 'found' } }))),
  'hook-blocked': () => hooked({ preToolCall: () => ({ block: 'not on a Friday' }) }),
  'hook-changed': () => hooked(change),
  'hook-own-agent': () => ({
    ...hooked({
      preToolCall: ({ tool, args }) =>
        tool.name === 'memory' ? { args: { ...args, content: 'ann likes figs' } } : undefined,
      postToolCall: ({ tool }, outcome) =>
        tool.name === 'delegate' && outcome.ok ? { value: 'something was found' } : undefined,
    }),
    task: { ...TASK, mode: 'agent' },
    provider: speaking({
      agent: (request, key) =>
        key.startsWith('agent/1/3/')
          ? 'Found.'
          : inTurn(
              calling(
                { name: 'memory', args: { action: 'add', content: 'ann likes tea' } },
                { name: 'delegate', args: { task: 'Find it.' } },
              ),
              'It was found.',
            )(request, key),
    }),
  }),
  'hook-nodes': () => ({
    ...hooked({
      preToolCall: ({ tool }) =>
        tool.name === 'ask_human' ? { args: { question: 'Which town?' } } : undefined,
      postToolCall: ({ tool }, outcome) =>
        tool.name === 'delegate' && outcome.ok ? { value: 'something was found' } : undefined,
    }),
    task: { ...TASK, agent: {} },
    tools: [askHuman, echoTool()],
    approve: () => Promise.resolve({ decision: 'done', by: 'ann', value: 'Oslo' }),
    provider: speaking({
      planner: () =>
        JSON.stringify(
          plan(
            node('ask', { tool: 'ask_human', args: { question: 'Which city?' } }),
            node('find', { tool: 'delegate', args: { task: 'Find it.', context: { $ref: 'ask' } } }),
            node('both', { args: { value: [{ $ref: 'ask' }, { $ref: 'find' }] } }),
          ),
        ),
      agent: () => 'Found.',
    }),
  }),
  'hook-nodes-blocked': () => ({
    ...hooked({ preToolCall: () => ({ block: 'not on a Friday' }) }),
    tools: [askHuman],
    provider: byRole({
      planner: JSON.stringify(plan(node('ask', { tool: 'ask_human', args: { question: 'Which?' } }))),
    }).provider,
  }),
  'hook-changed-agent': () => ({
    ...hooked(change),
    task: { ...TASK, mode: 'agent' },
    provider: speaking({
      agent: inTurn(calling({ name: 'send', args: { to: 'all' } }), 'It went to the archive.'),
    }),
  }),
};
