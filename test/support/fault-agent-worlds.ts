/* Runs of the fault tests whose work agents do: delegated in a plan, alone, and in a session. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunStore } from '../../src/contracts/ports.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { createAgent, readExchanges, type RunOptions, type RunResult } from '../../src/index.ts';
import { calling, inTurn, speaking } from './agent-run.ts';
import { laborious, laboriousTask, look } from './agent-scripts.ts';
import { echoTool } from './core.ts';
import { approver, FIXTURES, sendTool, type World } from './fault-world.ts';

/** A plan with two delegations: calls that fail, children, notes, an irreversible call that a hook changes, histories that are summed up. */
const delegated: World = (folder) => ({
  ...{ task: laboriousTask, workspace: FIXTURES, tools: [look, sendTool(folder), echoTool()] },
  provider: laborious,
  approve: approver(folder),
  hooks: {
    preToolCall: ({ tool, args }) =>
      tool.name === 'send' ? { args: { ...args, value: 'hooked' } } : undefined,
  },
});

const HANG = calling({ name: 'hang' });
const SEND = calling({ name: 'send', args: { value: 1 } });

/** A session: the first exchange is stopped in a call, the second sends something. */
const talked: World = (folder) => ({
  workspace: FIXTURES,
  task: { name: 'talked', goal: 'Talk.', mode: 'agent', limits: { graceMs: 100 } },
  tools: [
    sendTool(folder),
    echoTool('hang', {
      run: (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    }),
  ],
  provider: speaking({
    agent: async (request, key) => {
      await delay(1);
      const isFirst = !JSON.stringify(request.messages).includes('Send it.');
      const turns = isFirst ? inTurn(HANG) : inTurn(HANG, SEND, 'It was sent.');
      const said = await turns(request, key);
      if (typeof said === 'string') return { ...HANG, toolCalls: [], stop: 'stop', text: said };
      return said;
    },
  }),
  approve: approver(folder),
  talk: talkOn,
});

/** Says what has not been said yet, and ends the session. */
async function talkOn(
  store: RunStore<FlightEvent>,
  options: Omit<RunOptions, 'store' | 'runId'>,
  runId: string,
  isBegun: boolean,
): Promise<RunResult> {
  const agent = await createAgent({
    ...{ ...options, store, ...(isBegun ? { session: runId } : { runId }) },
    onToolProgress: ({ tool, state }) => {
      if (tool === 'hang' && state === 'started') void agent.interrupt('stop');
    },
  });
  await agent.pending;
  const said = readExchanges(await store.read(runId)).map(({ asked }) => asked);
  for (const message of ['Hang.', 'Send it.']) if (!said.includes(message)) await agent.run({ message });
  await agent.close();
  const answer = readExchanges(await store.read(runId)).map(({ asked, answer: text, status }) => ({
    ...{ asked, text, status },
  }));
  const usage = { inputTokens: 0, outputTokens: 0, llmCalls: 0, toolCalls: 0, costUsd: null, wallSeconds: 0 };
  return {
    ...{ runId, folder: null, status: 'unverified', exitCode: 0, reason: '', answer, verdict: null, usage },
    nodes: [],
  };
}

/** The worlds of this file by name. */
export const agentWorlds: Readonly<Record<string, World>> = { delegated, talked };
