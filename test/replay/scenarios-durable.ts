/* Runs that are interrupted, killed, taken up again, reopened and forked. */
import { setTimeout as delay } from 'node:timers/promises';
import { forkTask, orchestrate, resumeTask, type RunOptions, ToolError } from '../../src/index.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { askingTool, echoTool, node, only, plan } from '../support/core.ts';
import { byRole, flakyTool, sendTool } from '../support/composed.ts';
import { crashAfter, type Scenarios, type Stage } from './scenario.ts';

const TASK = { name: 'durable', goal: 'Reach the goal.', verify: { judge: 'off' as const } };

function optionsOf(tools: readonly Tool[], nodes: Parameters<typeof plan>, task: object = {}) {
  const { provider } = byRole({ planner: JSON.stringify(plan(...nodes)), writer: 'A text.' });
  return { task: { ...TASK, ...task }, tools, provider, workspace: '/workspace' } satisfies RunOptions;
}

function takeUp(stage: Stage, { tools, provider }: ReturnType<typeof optionsOf>, more: object = {}) {
  return resumeTask(stage.runId, { store: stage.store, tools, provider, ...more });
}

/** A call that is told to end, and holds until then; after that it returns at once. */
function heldTool(hold: { until: AbortController | null }): Tool {
  return echoTool('held', {
    run: async (_, { signal, log }) => {
      if (hold.until === null) return 'let go';
      log('holding on');
      setTimeout(() => hold.until?.abort(), 1);
      await delay(60_000, undefined, { signal });
      return 'never';
    },
  });
}

export const scenarios: Scenarios = {
  'cancelled-and-resumed': async (stage) => {
    const hold = { until: new AbortController() as AbortController | null };
    const options = optionsOf(
      [echoTool(), heldTool(hold)],
      [
        node('a', { args: { value: 1 } }),
        node('b', { tool: 'held', deps: ['a'] }),
        node('c', { deps: ['b'] }),
      ],
    );
    await orchestrate({ ...options, ...stage, signal: hold.until!.signal });
    hold.until = null;
    await takeUp(stage, options);
  },
  'killed-while-asking': async (stage) => {
    const twice: Tool = {
      ...askingTool,
      spec: { ...askingTool.spec, name: 'write_twice' },
      run: async (_, context) =>
        `${await context.ask('writer', { prompt: 'one' })} ${await context.ask('writer', { prompt: 'two' })}`,
    };
    const options = optionsOf([twice], [node('report', { tool: 'write_twice' })]);
    await crashAfter(
      stage,
      options,
      (event) => event.type === 'model.answered' && event.key === 'report/1/1',
    );
    await takeUp(stage, options);
  },
  'killed-while-planning': async (stage) => {
    const options = optionsOf([echoTool()], [node('a', { args: { value: 1 } })]);
    await crashAfter(stage, options, (event) => event.type === 'model.requested');
    await takeUp(stage, options);
  },
  'retry-failed': async (stage) => {
    const { tool, heal } = flakyTool();
    const items = { gone: true };
    const item = echoTool('item', {
      run: (args) => {
        const { value } = args as { value: string };
        if (value === 'b' && items.gone) throw new ToolError('PERMANENT', 'b is gone');
        return value;
      },
    });
    const options = optionsOf(
      [echoTool(), tool, item],
      [
        node('list', { args: { value: ['a', 'b', 'c'] } }),
        node('each', { tool: 'item', args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
        node('find', { tool: 'flaky' }),
        node('end', { args: { value: [{ $ref: 'each' }, { $ref: 'find' }] } }),
      ],
      { limits: { replans: 0 } },
    );
    await orchestrate({ ...options, ...stage });
    heal();
    items.gone = false;
    await takeUp(stage, options, { retryFailed: true });
  },
  forked: async (stage) => {
    const options = optionsOf(
      [echoTool(), sendTool([])],
      [
        node('look', { args: { value: 'news' } }),
        node('send', { tool: 'send', args: { to: 'ann' } }),
        node('end', { args: { value: { $ref: 'look' } }, deps: ['send'] }),
      ],
    );
    const approve = () => Promise.resolve({ decision: 'approved', by: 'ann' } as const);
    await orchestrate({ ...options, store: stage.store, runId: 'golden-forked-origin', approve });
    const { tools, provider } = options;
    await forkTask('golden-forked-origin', {
      ...{ ...stage, tools, provider, approve, at: 'send', set: { 'send.args.to': 'ben' } },
      goal: 'Send the news to somebody else.',
      flags: { 'budget.toolCalls': '10' },
    });
  },
  'budget-raised': async (stage) => {
    const options = optionsOf(
      [askingTool],
      [node('a', { tool: 'write' }), node('b', { tool: 'write', deps: ['a'] })],
      {
        budget: { llmCalls: 2, finalReserve: 0 },
      },
    );
    await orchestrate({ ...options, ...stage });
    await takeUp(stage, options, { flags: { 'budget.llmCalls': '6' } });
  },
  'catalogue-changed': async (stage) => {
    const options = optionsOf([sendTool([])], [node('send', { tool: 'send', args: { to: 'ann' } })]);
    await orchestrate({ ...options, ...stage });
    const approve = () => Promise.resolve({ decision: 'approved', by: 'ann' } as const);
    const tools = [...options.tools, echoTool('late')];
    if (only(await stage.store.read(stage.runId), 'run.finished')[0]?.status !== 'waiting')
      throw new Error('did not wait');
    await takeUp(stage, { ...options, tools }, { approve });
  },
};
