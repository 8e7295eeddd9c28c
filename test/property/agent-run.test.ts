/* I4 and I5 for runs whose work agents do: crash after any event, resume, and the run ends as the uninterrupted one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/engine/replay.ts';
import type { EventOf, FlightEvent } from '../../src/flight/events.ts';
import type { Json } from '../../src/kernel/json.ts';
import { foldEvents } from '../../src/run/evolve.ts';
import { toRunResult } from '../../src/run/run-result.ts';
import type { RunState } from '../../src/run/state.ts';
import { agentRun, calling, inTurn, lookUp, type Say } from '../support/agent-run.ts';
import { askingTool, echoTool, node, only, plan } from '../support/core.ts';
import { engineRun, type EngineRun, resumedRun } from '../support/engine-run.ts';

const LOOK = (city: string) => ({ name: 'look_up', args: { city } });

const PARENT: Say = inTurn(
  calling(LOOK('Tokyo'), LOOK('Lima')),
  calling({ name: 'todo', args: { todos: [{ id: 'a', content: 'ask two others', status: 'in_progress' }] } }),
  calling(
    { name: 'delegate', args: { task: 'part one', tools: ['look_up'] } },
    { name: 'delegate', args: { task: 'part two' } },
  ),
  calling({ name: 'send', args: { value: 'once' } }),
  calling({ name: 'write', args: { about: 'Lima' } }, { name: 'unknown' }),
  'Tokyo and Lima.',
);
const CHILD: Say = inTurn(calling(LOOK('Rome')), 'Rome was looked up.');

function isChild(messages: readonly { readonly content: unknown }[]): boolean {
  return messages.some(({ content }) => content === 'part one' || content === 'part two');
}

const SAYS: Readonly<Record<string, Say>> = {
  agent: (request, key) => (isChild(request.messages) ? CHILD : PARENT)(request, key),
  evaluator: () => '{"completion": 0.3}',
  writer: () => 'Lima is on the coast.',
  planner: () =>
    JSON.stringify(
      plan(
        node('fact', { args: { value: 'a fact' } }),
        node('work', {
          tool: 'delegate',
          args: { task: 'Find out about Lima.', context: { $ref: 'fact' } },
        }),
        node('other', { tool: 'delegate', args: { task: 'part one', tools: ['look_up'] } }),
        node('report', { args: { value: [{ $ref: 'work' }, { $ref: 'other' }] } }),
      ),
    ),
};

function world(sent: Json[], mode: 'agent' | 'plan', concurrency: number): EngineRun {
  const send = echoTool('send', {
    effect: 'irreversible',
    run: (args) => {
      sent.push(args);
      return 'sent';
    },
  });
  return agentRun(SAYS, {
    tools: [lookUp, send, askingTool, echoTool()],
    attended: true,
    task: { mode, agent: {}, concurrency, verify: { judge: 'off', checks: [{ includes: 'Lima' }] } },
  });
}

/** A driver's run in which a person consents to every call, and says the truth of those in doubt. */
async function drive(
  make: (ports: EngineRun['ports']) => ReturnType<typeof engineRun>,
  sent: readonly Json[],
): Promise<{ state: RunState; events: FlightEvent[] }> {
  const seen = sent.length;
  const answer = ({ node: asked, argsHash, call = '', question }: EventOf<'approval.requested'>): void => {
    const isDone = question === 'in_doubt' && seen > 0;
    made.driver.submit({
      ...{ type: 'approval.decided', node: asked, call, argsHash, by: 'test' },
      ...(isDone ? { decision: 'done', value: 'sent' } : { decision: 'approved' }),
    });
  };
  const made = make({
    onEvent: (event) => {
      if (event.type === 'approval.requested') answer(event);
    },
  });
  // What was asked before a crash is not asked again.
  const open = new Map<string, EventOf<'approval.requested'>>();
  for (const event of made.events) {
    if (event.type === 'approval.requested') open.set(event.node, event);
    else if (event.type === 'approval.decided') open.delete(event.node);
  }
  for (const question of open.values()) answer(question);
  return { state: await made.driver.run(), events: made.events };
}

async function runWhole(mode: 'agent' | 'plan', concurrency: number) {
  const sent: Json[] = [];
  const run = world(sent, mode, concurrency);
  return { ...(await drive((ports) => engineRun({ ...run, ports: ports ?? {} }), sent)), sent };
}

async function resumeAfter(
  recorded: readonly FlightEvent[],
  sent: Json[],
  mode: 'agent' | 'plan',
  concurrency: number,
) {
  const run = world(sent, mode, concurrency);
  return drive((ports) => resumedRun({ ...run, ports: ports ?? {} }, recorded), sent);
}

function endOf(state: RunState): unknown {
  const { status, answer, verdict, nodes } = toRunResult(state, null);
  return {
    ...{ status, answer, verdict },
    nodes: nodes.map(({ id, state: ended }) => [id, ended]),
    messages: [...state.crew.values()].map(({ messages }) => messages),
  };
}

/** Where the call that sends was begun, and where its result was logged. */
function spanOfSend(events: readonly FlightEvent[]): { begun: number; returned: number } {
  const started = events.find((event) => event.type === 'call.started' && event.tool === 'send');
  const key = started?.type === 'call.started' ? started.key : '';
  const returned = events.find((event) => event.type === 'call.returned' && event.key === key);
  return { begun: started?.seq ?? -1, returned: returned?.seq ?? -1 };
}

describe.each([
  ['agent', 1, 1],
  // What each event does was seen above; here it is the agents beside each other.
  ['plan', 3, 4],
] as const)('a run in mode %s with concurrency %i', (mode, concurrency, every) => {
  it('ends the same wherever it crashes, sends once, replays, and does not wait for itself', async () => {
    const whole = await runWhole(mode, concurrency);
    expect(toRunResult(whole.state, null)).toMatchObject({ status: 'verified' });
    expect(whole.sent).toHaveLength(1);
    expect(replay(whole.events, true).divergence).toBeNull();
    expect(whole.state.ledger.reserved).toEqual({
      ...{ tokens: 0, toolCalls: 0, llmCalls: 0, costMicroUsd: 0, wallMs: 0 },
    });
    expect(whole.state.ledger.promised.llmCalls).toBe(0);
    const { begun, returned } = spanOfSend(whole.events);
    for (let length = 2; length < whole.events.length; length += every) {
      const recorded = whole.events.slice(0, length);
      const isSent = length > returned;
      const isInDoubt = length > begun && !isSent;
      for (const seen of isInDoubt ? [[], ['once']] : [isSent ? ['once'] : []]) {
        const sent: Json[] = [...seen];
        const resumed = await resumeAfter(recorded, sent, mode, concurrency);
        const where = `after event ${length - 1} (${recorded.at(-1)?.type ?? ''})`;
        expect(endOf(resumed.state), where).toEqual(endOf(whole.state));
        expect(sent.length, where).toBe(1);
        expect(replay(resumed.events, true).divergence, where).toBeNull();
        const bought = only(recorded, 'model.answered').map(({ key }) => key);
        const asked = only(resumed.events.slice(length), 'model.requested').map(({ key }) => key);
        for (const key of bought) expect(asked, where).not.toContain(key);
        expect(resumed.state.ledger.reserved.toolCalls, where).toBe(0);
        expect(resumed.state.ledger.promised.llmCalls, where).toBe(0);
      }
    }
  }, 120_000);
});

describe('a run of an agent', () => {
  it('holds when it crashes again and again', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
        async (steps) => {
          const whole = await runWhole('agent', 2);
          let length = 2;
          let events: readonly FlightEvent[] = whole.events;
          for (const step of steps) {
            length = Math.min(length + step, events.length - 1);
            const { begun, returned } = spanOfSend(events.slice(0, length));
            const sent: Json[] = begun >= 0 && returned >= 0 ? ['once'] : [];
            events = (await resumeAfter(events.slice(0, length), sent, 'agent', 2)).events;
          }
          expect(endOf(foldEvents(events))).toEqual(endOf(whole.state));
        },
      ),
      { numRuns: 10 },
    ));
});
