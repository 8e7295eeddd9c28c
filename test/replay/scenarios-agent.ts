/* Runs whose work agents do. */
import { createAgent, type RunOptions } from '../../src/index.ts';
import { calling, inTurn, lookUp, speaking } from '../support/agent-run.ts';
import { laborious, laboriousTask, look } from '../support/agent-scripts.ts';
import { sendTool } from '../support/composed.ts';
import { echoTool } from '../support/core.ts';
import type { Scenarios, Stage } from './scenario.ts';

const send = echoTool('send', { effect: 'irreversible', run: () => 'sent' });
const LOOK = calling({ name: 'look_up', args: { city: 'Tokyo' } });

function alone(says: Parameters<typeof speaking>[0], more: object = {}): RunOptions {
  const task = { name: 'alone', goal: 'How many live in Tokyo?', mode: 'agent' as const };
  return {
    task: { ...task, verify: { judge: 'off' }, ...more },
    ...{ tools: [lookUp, sendTool([])], provider: speaking(says), workspace: '/workspace' },
  };
}

/** Two exchanges, of which the first is stopped in a call. */
async function talk({ store, runId }: Stage): Promise<void> {
  const hangs = echoTool('hangs', {
    run: (_args, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      }),
  });
  const agent = await createAgent({
    ...{ store, runId, workspace: '/workspace', tools: [hangs, lookUp], memory: null },
    provider: speaking({ agent: inTurn(calling({ name: 'hangs' }), LOOK, '13960000 people.') }),
    onToolProgress: ({ tool, state }) => {
      if (tool === 'hangs' && state === 'started') void agent.interrupt('stop');
    },
  });
  await agent.run({ message: 'Hang.' });
  await agent.run({ message: 'How many live in Tokyo?', systemMessage: 'Be short.', taskId: 'tokyo' });
  await agent.close();
}

export const agentScenarios: Scenarios = {
  'agent-alone': () => alone({ agent: inTurn(LOOK, '13960000 people.') }),
  'agent-revised': () =>
    alone(
      { agent: inTurn(LOOK, 'Many people.', '13960000 people in Tokyo.') },
      { verify: { judge: 'off', checks: [{ includes: 'Tokyo' }, { grounded: true }] } },
    ),
  'agent-by-json': () =>
    alone(
      {
        agent: inTurn(
          'I would look it up.',
          '```json\n{"thoughts": {"text": "look"}, "command": {"name": "look_up", "args": {"city": "Tokyo"}}}\n```',
          '{"command": {"name": "finish", "args": {"answer": "13960000 people."}}}',
        ),
      },
      { agent: { style: 'json' } },
    ),
  'agent-out-of-budget': () =>
    alone(
      { agent: inTurn(LOOK, calling({ name: 'look_up', args: { city: 'Lima' } })), finalizer: () => 'Some.' },
      { budget: { llmCalls: 3 } },
    ),
  'agent-denied': () => ({
    ...alone({ agent: inTurn(calling({ name: 'send', args: { to: 'ann' } }), 'I sent nothing.') }),
    approve: () => Promise.resolve({ decision: 'denied', by: 'ann', reason: 'ask me first' }),
  }),
  'agent-laborious': () => ({
    ...{ task: laboriousTask, tools: [look, send, echoTool()], provider: laborious },
    workspace: '/workspace',
    approve: () => Promise.resolve({ decision: 'approved', by: 'ann' }),
  }),
  'agent-session': talk,
};
