/* Runs in which people decide. */
import { answerQuestion, orchestrate, resumeTask, type RunOptions } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { askHuman } from '../../src/tools/builtin/ask-human.ts';
import { echoTool, node, plan } from '../support/core.ts';
import { byRole, sendTool } from '../support/composed.ts';
import { crashAfter, type Scenarios, type Stage } from './scenario.ts';

/** A run whose planner draws this plan, and another where the first cannot be carried out. */
function sending(
  nodes: readonly Json[],
  more: { task?: object; replies?: Parameters<typeof byRole>[0]; tools?: readonly Tool[] } = {},
) {
  const tools = [sendTool([]), echoTool(), ...(more.tools ?? [])];
  const { provider } = byRole({ planner: JSON.stringify(plan(...nodes)), ...more.replies });
  const task = { name: 'sending', goal: 'Send the news.', verify: { judge: 'off' as const }, ...more.task };
  return { task, tools, provider, workspace: '/workspace' } satisfies RunOptions;
}

const SEND = node('send', { tool: 'send', args: { to: 'ann' } });
const LOOK = node('look', { args: { value: 'news' } });
const END = node('end', { args: { value: { $ref: 'look' } }, deps: ['send'] });

/** Runs to where it waits, has somebody say something, and takes the run up again. */
async function waitAndSay(
  stage: Stage,
  options: RunOptions & { tools: readonly Tool[] },
  say: () => Promise<unknown>,
): Promise<void> {
  await orchestrate({ ...options, ...stage });
  await say();
  await resume(stage, options);
}

function resume(stage: Stage, { tools, provider }: RunOptions): Promise<unknown> {
  const given = { store: stage.store, ...(tools === undefined ? {} : { tools }) };
  return resumeTask(stage.runId, { ...given, ...(provider === undefined ? {} : { provider }) });
}

/** A call that never returns, so that its outcome is not known at its deadline. */
function deafSend(): Tool {
  const { spec, ...tool } = sendTool([]);
  return {
    ...tool,
    spec: { ...spec, name: 'deaf_send', timeoutMs: 1 },
    run: () => new Promise(() => undefined),
  };
}

export const scenarios: Scenarios = {
  approved: (stage) =>
    waitAndSay(stage, sending([LOOK, SEND, END]), () =>
      answerQuestion(stage.store, stage.runId, 'send', {
        decision: 'approved',
        by: 'ann',
        reason: 'looks right',
      }),
    ),
  denied: (stage) =>
    waitAndSay(
      stage,
      sending([LOOK, SEND, END], {
        replies: {
          replanner: JSON.stringify(plan(LOOK, node('end', { args: { value: { $ref: 'look' } } }))),
        },
      }),
      () =>
        answerQuestion(stage.store, stage.runId, 'send', {
          decision: 'denied',
          by: 'ben',
          reason: 'too early',
        }),
    ),
  'answered-by-a-person': async (stage) => {
    const question = { question: 'To whom?', choices: ['ann', 'ben'] };
    const ask = node('ask', { tool: 'ask_human', args: question });
    const tell = node('tell', { args: { value: { $text: ['to ', { $ref: 'ask' }] } } });
    const options = sending(
      [LOOK, ask, tell, node('end', { args: { value: { $ref: 'tell' } }, deps: ['look'] })],
      {
        tools: [askHuman],
      },
    );
    await crashAfter(stage, options, ({ type }) => type === 'approval.requested');
    await resume(stage, options);
    await answerQuestion(stage.store, stage.runId, 'ask', { decision: 'done', by: 'ann', text: 'ben' });
    await resume(stage, options);
  },
  amended: (stage) =>
    waitAndSay(stage, sending([LOOK, SEND, END]), () =>
      answerQuestion(stage.store, stage.runId, 'send', {
        decision: 'approved',
        by: 'ann',
        args: { to: 'cas' },
      }),
    ),
  'timed-out': () => ({
    ...sending([LOOK, SEND, END], {
      task: { policy: { approvalTimeoutSeconds: 0.02 }, limits: { replans: 0 } },
    }),
    approve: () => new Promise(() => undefined),
  }),
  'gates-in-any-order': async (stage) => {
    const other = node('other', { tool: 'send', args: { to: 'ben' } });
    const options = sending([LOOK, SEND, other, node('end', { deps: ['look', 'send', 'other'] })]);
    await waitAndSay(stage, options, () =>
      answerQuestion(stage.store, stage.runId, 'other', {
        decision: 'approved',
        by: 'ann',
        args: { to: 'dan' },
      }),
    );
    await answerQuestion(stage.store, stage.runId, 'send', { decision: 'approved', by: 'ben' });
    await resume(stage, options);
  },
  'in-doubt-done': async (stage) => {
    const options = sending([LOOK, SEND, END], { task: { policy: { approve: 'none' } } });
    await crashAfter(stage, options, (event) => event.type === 'node.started' && event.node === 'send');
    await resume(stage, options);
    await answerQuestion(stage.store, stage.runId, 'send', {
      decision: 'done',
      by: 'ann',
      value: 'sent by hand',
    });
    await resume(stage, options);
  },
  'in-doubt-again': async (stage) => {
    const options = sending([LOOK, node('send', { tool: 'deaf_send', args: { to: 'ann' } }), END], {
      task: { policy: { approve: 'none' }, limits: { graceMs: 1 } },
      tools: [deafSend()],
    });
    await orchestrate({ ...options, ...stage });
    await answerQuestion(stage.store, stage.runId, 'send', { decision: 'approved', by: 'ann' });
    const healed = options.tools.map((tool) =>
      tool.spec.name === 'deaf_send' ? { ...tool, run: () => 'sent after all' } : tool,
    );
    await resume(stage, { ...options, tools: healed });
  },
  'standing-consent': () => ({
    ...sending([LOOK, SEND, END]),
    approve: () => Promise.resolve({ decision: 'approved', by: '--yes=irreversible' }),
    approves: 'consent',
  }),
};
