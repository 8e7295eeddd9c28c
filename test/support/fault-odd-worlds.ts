/*
 * Runs of the fault tests in which what is rare happens: providers fail, budgets are short, people deny, a run is
 * cancelled, resumed or forked. Where a budget is in play, it leaves room for what a crash has counted twice.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { type ApprovalAnswer, OrchestratorError, orchestrate, resumeTask } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';
import { answer, askingTool, echoTool, node, plan } from './core.ts';
import { approver, FIXTURES, sendTool, type World } from './fault-world.ts';

/** A provider that answers by role. */
function answering(replies: Readonly<Record<string, string>>): Provider {
  return {
    name: 'answering',
    complete: async ({ role }: ModelRequest) => {
      await delay(1);
      const reply = replies[role];
      if (reply === undefined) throw new OrchestratorError('model_unscripted', role);
      return answer(reply);
    },
  };
}

/** A person who allows nothing. */
const deny = (): Promise<ApprovalAnswer> => Promise.resolve({ decision: 'denied', by: 'test' });

const planning = (...nodes: Json[]): string => JSON.stringify(plan(...nodes));

/** A key that is refused, an account that is empty, a fallback that warns, and a plan that is refused at first. */
const chained: World = () => ({
  task: {
    ...{ name: 'chained', goal: 'Reach the goal.', verify: { judge: 'off' } },
    provider: [
      { name: 'anthropic', model: 'one', credentialCommand: 'echo key' },
      { name: 'openai', model: 'two' },
    ],
  },
  ...{ workspace: FIXTURES, tools: [echoTool()] },
  provider: {
    name: 'chained',
    refreshCredential: () => delay(1),
    async complete({ model }, context) {
      await delay(1);
      if (model === 'one' && !context.key.includes('#'))
        throw new OrchestratorError('model_unauthorized', 'the key has expired');
      if (model === 'one') throw new OrchestratorError('model_quota', 'the account is empty');
      context.onWarning?.('temperature is not taken by this model');
      return answer(
        planning(node('a', { tool: context.key.startsWith('plan/1') ? 'ecko' : 'echo', args: { value: 1 } })),
      );
    },
  },
});

/** Economy after the first level, a denied gate, a call that takes the result of an equal one, a question in vain. */
const pressed: World = () => ({
  task: {
    ...{ name: 'pressed', goal: 'Reach the goal.', concurrency: 2, verify: { judge: 'off' } },
    budget: { toolCalls: 20, economyAt: 0.4, minimalAt: 0.95 },
  },
  ...{ workspace: FIXTURES },
  tools: [
    echoTool(),
    echoTool('seen', { cache: true }),
    echoTool('send', { effect: 'irreversible' }),
    echoTool('ask_in_vain', {
      run: async (_, { ask }) => {
        const format = { name: 'object', schema: { type: 'object' } } as const;
        const said = await ask('writer', { prompt: 'as JSON', format }).catch((error: unknown) => error);
        return said instanceof OrchestratorError ? said.code : 'answered';
      },
    }),
  ],
  provider: answering({
    planner: planning(
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => node(id, { args: { value: id } })),
      node('first', { tool: 'seen', args: { value: 1 } }),
      node('gate', { tool: 'send', args: { value: 1 }, optional: true }),
      node('same', { tool: 'seen', args: { value: 1 }, deps: ['first'] }),
      node('extra', { optional: true, args: { value: { $ref: 'a' } } }),
      node('asked', { tool: 'ask_in_vain', deps: ['a'] }),
      node('end', { args: { value: [{ $ref: 'same' }, { $ref: 'asked' }, { $ref: 'extra' }] } }),
    ),
    writer: 'no JSON',
  }),
  approve: deny,
});

/** A model that uses more than was reserved for its answer. */
const overdrawn: World = () => ({
  task: {
    ...{ name: 'overdrawn', goal: 'Reach the goal.', verify: { judge: 'off' } },
    budget: { tokens: 200_000 },
  },
  ...{ workspace: FIXTURES, tools: [askingTool] },
  provider: {
    ...answering({}),
    async complete({ role }) {
      await delay(1);
      if (role === 'planner')
        return answer(planning(node('a', { tool: 'write' }), node('b', { tool: 'write', deps: ['a'] })));
      if (role === 'finalizer') return answer('One text was written.');
      return { ...answer('A text.'), usage: { inputTokens: 100, outputTokens: 9000 } };
    },
  },
});

/** A question that fits no budget of this size. */
const unaffordable: World = () => ({
  task: {
    ...{ name: 'unaffordable', goal: 'Reach the goal.', verify: { judge: 'off' } },
    ...{ budget: { tokens: 40_000 }, limits: { maxOutputTokens: 300 } },
  },
  workspace: FIXTURES,
  tools: [
    echoTool(),
    echoTool('ask_much', { run: (_, { ask }) => ask('writer', { prompt: 'word '.repeat(50_000) }) }),
  ],
  provider: answering({
    planner: planning(node('a', { args: { value: 1 } }), node('b', { tool: 'ask_much', deps: ['a'] })),
    finalizer: 'Only the first look-up was made.',
  }),
});

/** A run that somebody cancels while a call is under way. */
const cancelled: World = (folder) => {
  const controller = new AbortController();
  const file = join(folder, 'cancelled');
  return {
    task: { name: 'cancelled', goal: 'Reach the goal.', verify: { judge: 'off' } },
    workspace: FIXTURES,
    tools: [
      echoTool(),
      echoTool('held', {
        run: async (_, { signal }) => {
          if (existsSync(file)) return 'let go';
          writeFileSync(file, '');
          setTimeout(() => controller.abort(), 1);
          await delay(60_000, undefined, { signal });
          return 'never';
        },
      }),
    ],
    provider: answering({
      planner: planning(
        node('a', { args: { value: 1 } }),
        node('b', { tool: 'held', deps: ['a'] }),
        node('c', { args: { value: { $ref: 'b' } } }),
      ),
    }),
    signal: controller.signal,
  };
};

/** A run whose process died after the first of two questions of a tool was answered. */
const reasked: World = () => ({
  task: { name: 'reasked', goal: 'Reach the goal.', verify: { judge: 'off' } },
  workspace: FIXTURES,
  tools: [
    {
      ...askingTool,
      run: async (_, { ask }) =>
        `${await ask('writer', { prompt: 'one' })} ${await ask('writer', { prompt: 'two' })}`,
    },
  ],
  provider: answering({ planner: planning(node('a', { tool: 'write' })), writer: 'A text.' }),
  origin: async (store, options, runId) => {
    const scratch = new MemoryRunStore();
    await orchestrate({ ...options, store: scratch, runId });
    const events = await scratch.read(runId);
    const last = events.findIndex((event) => event.type === 'model.answered' && event.key === 'a/1/1');
    const run = await store.create(runId);
    for (const event of events.slice(0, last + 1)) run.log.append(event);
    await run.log.close();
    return runId;
  },
});

/** A run that leaves another before its irreversible call. */
const forked: World = (folder) => ({
  task: { name: 'forked', goal: 'Reach the goal.', verify: { judge: 'off' } },
  ...{ workspace: FIXTURES, tools: [echoTool(), sendTool(folder)] },
  provider: answering({
    planner: planning(
      node('look', { args: { value: 'news' } }),
      node('send', { tool: 'send', args: { value: 'x' }, deps: ['look'] }),
      node('end', { args: { value: { $ref: 'send' } } }),
    ),
  }),
  approve: approver(folder),
  origin: async (store, options) => {
    const stopped = { store, approve: deny };
    const task = { ...(options.task as object), limits: { replans: 0 } } as typeof options.task;
    if (!(await store.list()).includes('origin'))
      await orchestrate({ ...options, ...stopped, task, runId: 'origin' });
    else if ((await store.read('origin')).at(-1)?.type !== 'run.finished')
      await resumeTask('origin', { ...options, ...stopped });
    return 'origin';
  },
});

/** A run that is given what an earlier one has left. */
const remembering: World = () => {
  const store = new InMemoryStore();
  const provenance = { at: 1, run: 'earlier' };
  void store.put('default', [
    { record: { tier: 'semantic', id: 'fact', text: 'the goal lies in Lima', provenance } },
  ]);
  return {
    task: {
      ...{ name: 'remembering', goal: 'Reach the goal in Lima.', verify: { judge: 'off' } },
      memory: { similarity: 'words' },
    },
    ...{ workspace: FIXTURES, tools: [echoTool()], memory: { store } },
    provider: answering({ planner: planning(node('a', { args: { value: 1 } })) }),
  };
};

/** The worlds of this file by name. */
export const oddWorlds: Readonly<Record<string, World>> = {
  ...{ chained, pressed, overdrawn, unaffordable, cancelled, reasked, forked, remembering },
};
