/* Runs that meet the limits of their budget, of their plan and of their providers. */
import type { Provider } from '../../src/contracts/ports.ts';
import { OrchestratorError, type RunOptions, ToolError } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { answer, askingTool, echoTool, node, plan } from '../support/core.ts';
import { byRole } from '../support/composed.ts';
import type { Scenarios } from './scenario.ts';

type Replies = Parameters<typeof byRole>[0];

function optionsOf(tools: readonly Tool[], replies: Replies, task: object = {}): RunOptions {
  return {
    task: { name: 'limits', goal: 'Reach the goal.', verify: { judge: 'off' }, ...task },
    ...{ tools, provider: byRole(replies).provider, workspace: '/workspace' },
  };
}

const planning = (...nodes: Json[]): Replies => ({ planner: JSON.stringify(plan(...nodes)) });

/** Two providers in one: the first refuses its key, then has no quota; the second warns, and is overloaded once. */
function chain(): Provider {
  let firstCalls = 0;
  let secondCalls = 0;
  return {
    name: 'chain',
    refreshCredential: () => Promise.resolve(),
    complete: (request, context) => {
      if (request.model === 'one') {
        return Promise.reject(
          ++firstCalls === 1
            ? new OrchestratorError('model_unauthorized', 'the key has expired')
            : new OrchestratorError('model_quota', 'the account is empty'),
        );
      }
      if (++secondCalls === 1) return Promise.reject(new OrchestratorError('model_overloaded', 'busy'));
      context.onWarning?.('temperature is not taken by this model');
      return Promise.resolve(answer(JSON.stringify(plan(node('a', { args: { value: 1 } })))));
    },
  };
}

export const scenarios: Scenarios = {
  'provider-chain': () => ({
    task: {
      ...{ name: 'chain', goal: 'Reach the goal.', verify: { judge: 'off' }, limits: { backoffMs: 1 } },
      provider: [
        { name: 'anthropic', model: 'one', credentialCommand: 'echo key' },
        { name: 'openai', model: 'two' },
      ],
    },
    ...{ tools: [echoTool()], provider: chain(), workspace: '/workspace' },
  }),
  'key-not-refreshed': () => ({
    task: {
      ...{ name: 'chain', goal: 'Reach the goal.', verify: { judge: 'off' } },
      provider: { name: 'anthropic', model: 'one', credentialCommand: 'echo key' },
    },
    ...{ tools: [echoTool()], workspace: '/workspace' },
    provider: {
      name: 'chain',
      refreshCredential: () =>
        Promise.reject(new OrchestratorError('model_unauthorized', 'the command failed')),
      complete: () => Promise.reject(new OrchestratorError('model_unauthorized', 'the key has expired')),
    },
  }),
  'economy-and-minimal': () =>
    optionsOf(
      [echoTool(), askingTool],
      {
        ...planning(
          ...['a', 'b', 'c', 'd', 'e'].map((id) => node(id, { args: { value: id } })),
          node('extra', { optional: true, args: { value: { $ref: 'a' } } }),
          node('more', { args: { value: { $ref: 'b' } } }),
          node('last', { args: { value: { $ref: 'more' } } }),
          node('report', { tool: 'write', args: { about: [{ $ref: 'last' }, { $ref: 'extra' }] } }),
        ),
        writer: 'A report.',
      },
      {
        budget: { toolCalls: 10, economyAt: 0.5, minimalAt: 0.7 },
        verify: { judge: 'on', checks: [{ includes: 'report' }] },
      },
    ),
  overrun: () => ({
    ...optionsOf([askingTool], {}, { budget: { tokens: 20_000 } }),
    provider: {
      name: 'verbose',
      complete: ({ role }) =>
        Promise.resolve(
          role === 'planner'
            ? answer(
                JSON.stringify(plan(node('a', { tool: 'write' }), node('b', { tool: 'write', deps: ['a'] }))),
              )
            : { ...answer('A text.'), usage: { inputTokens: 100, outputTokens: 9000 } },
        ),
    },
  }),
  'question-does-not-fit': () =>
    optionsOf(
      [
        echoTool(),
        echoTool('ask_much', {
          run: (_, context) => context.ask('writer', { prompt: 'word '.repeat(3000) }),
        }),
      ],
      {
        ...planning(node('a', { args: { value: 1 } }), node('b', { tool: 'ask_much', deps: ['a'] })),
        finalizer: 'Only the first look-up was made.',
      },
      { budget: { tokens: 4000 }, limits: { maxOutputTokens: 500 } },
    ),
  'calls-used-up': () => {
    let isBusy = true;
    const busy = echoTool('busy', {
      run: (args) => {
        if (!isBusy) return args;
        isBusy = false;
        throw new ToolError('TRANSIENT', 'busy');
      },
    });
    return optionsOf(
      [busy],
      planning(node('a', { tool: 'busy', args: { value: 1 } }), node('b', { tool: 'busy', deps: ['a'] })),
      { budget: { toolCalls: 2 }, limits: { backoffMs: 1 } },
    );
  },
  'policy-stops': () =>
    optionsOf(
      [
        echoTool(),
        echoTool('forbidden', {
          run: () => {
            throw new ToolError('POLICY', 'not in this country');
          },
        }),
      ],
      planning(
        node('a', { args: { value: 1 } }),
        node('b', { tool: 'forbidden', deps: ['a'] }),
        node('c', { deps: ['b'] }),
      ),
    ),
  'plans-rejected': () =>
    optionsOf([echoTool()], { planner: JSON.stringify(plan(node('a', { tool: 'ecko' }), node('a'))) }),
  'plan-supplied': () => ({
    ...optionsOf([echoTool()], {}),
    plan: JSON.stringify(
      plan(node('a', { args: { value: 1 } }), node('b', { args: { value: { $ref: 'a' } } })),
    ),
  }),
  'rejected-report-kept': () =>
    optionsOf(
      [echoTool(), askingTool],
      {
        ...planning(node('report', { tool: 'write' })),
        writer: 'About Rome.',
        replanner: 'I have no other plan.',
        critic: '{"score": 0.2, "issues": ["it is about Rome"]}',
      },
      { limits: { planRounds: 1 }, verify: { judge: 'on', checks: [{ includes: 'Lima' }] } },
    ),
  'judge-unreadable': () =>
    optionsOf(
      [askingTool],
      { ...planning(node('report', { tool: 'write' })), writer: 'About Lima.', critic: 'Fine.' },
      { verify: { judge: 'required' } },
    ),
  'repaired-eager': () =>
    optionsOf(
      [
        echoTool('count', {
          cache: true,
          input: {
            ...{ type: 'object', properties: { number: { type: 'number' } } },
            ...{ required: ['number'], additionalProperties: false },
          },
          run: (args, { log }) => {
            log('counting');
            return (args as { number: number }).number;
          },
        }),
        askingTool,
      ],
      {
        ...planning(
          node('one', { tool: 'count', args: { number: 1 } }),
          node('same', { tool: 'count', args: { number: 1 }, deps: ['one'] }),
          node('word', { tool: 'write' }),
          node('odd', { tool: 'count', args: { number: { $ref: 'word' } } }),
        ),
        writer: 'two',
        repairer: '{"number": 2}',
      },
      { walk: 'eager', concurrency: 2 },
    ),
  'question-in-vain': () =>
    optionsOf(
      [
        echoTool('ask_in_vain', {
          run: async (_, context) => {
            const format = { name: 'object', schema: { type: 'object' } } as const;
            const said = await context
              .ask('writer', { prompt: 'as JSON', format })
              .catch((error: unknown) => error);
            return said instanceof OrchestratorError ? said.code : 'answered';
          },
        }),
      ],
      { ...planning(node('a', { tool: 'ask_in_vain' })), writer: 'no JSON' },
      { limits: { attempts: 1 } },
    ),
};
