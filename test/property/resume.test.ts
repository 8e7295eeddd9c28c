/* I4: crash after any event, resume, and the run ends as the uninterrupted one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelAnswer, ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { canonicalJson } from '../../src/kernel/canonical-json.ts';
import { OrchestratorError, ToolError } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { foldEvents } from '../../src/run/evolve.ts';
import { toRunResult } from '../../src/run/run-result.ts';
import type { RunState } from '../../src/run/state.ts';
import { answer, askingTool, echoTool, node, only, plan, task } from '../support/core.ts';
import { engineRun, type EngineRun, resumedRun } from '../support/engine-run.ts';

const FIRST_PLAN = plan(
  node('list', { args: { value: ['a', 'b', 'c'] } }),
  node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
  node('lost', { tool: 'missing', deps: ['list'] }),
  node('report', { tool: 'write', args: { about: [{ $ref: 'each' }, { $ref: 'lost' }] } }),
);
const SECOND_PLAN = plan(
  node('sent', { tool: 'send', args: { value: 'once' } }),
  node('final', { tool: 'write', args: { about: { $ref: 'each' } }, deps: ['sent'] }),
);

/** A run with a foreach, a replan, an irreversible call, questions of tools, a revision and a judge. */
function eventful(sent: Json[]): EngineRun {
  const provider: Provider = {
    name: 'by role',
    complete: (request: ModelRequest): Promise<ModelAnswer> => Promise.resolve(answer(reply(request))),
  };
  return {
    tools: [
      echoTool(),
      askingTool,
      echoTool('missing', {
        run: () => {
          throw new ToolError('MISSING_INFO', 'not to be had');
        },
      }),
      echoTool('send', {
        effect: 'irreversible',
        run: (args) => {
          sent.push(args);
          return sent.length;
        },
      }),
    ],
    task: {
      ...task({ concurrency: 2 }),
      policy: { approve: 'none' },
      verify: { judge: 'on', checks: [{ includes: 'Lima' }] },
    },
    provider,
  };
}

function reply(request: ModelRequest): string {
  switch (request.role) {
    case 'planner':
      return canonicalJson(FIRST_PLAN);
    case 'replanner':
      return canonicalJson(SECOND_PLAN);
    case 'writer':
      return request.messages.length > 1 ? 'About Lima.' : 'About Rome.';
    case 'critic':
      return '{"score": 0.8, "issues": []}';
    default:
      throw new OrchestratorError('model_unscripted', request.role);
  }
}

async function runWhole(): Promise<{ events: FlightEvent[]; sent: Json[]; state: RunState }> {
  const sent: Json[] = [];
  const { driver, events } = engineRun(eventful(sent));
  return { state: await driver.run(), events, sent };
}

/** What must be equal at the end: plan, node states, results, verdict. */
function endOf(state: RunState): unknown {
  const { status, answer: value, verdict, nodes } = toRunResult(state, null);
  return {
    plan: state.plan,
    status,
    value,
    verdict,
    nodes: nodes.map(({ id, state: ended }) => [id, ended]),
    values: state.order.map((each) => each.value),
  };
}

/** Crashes after `length` events, and resumes in a world that has seen `sent`. Whoever is asked says what is true. */
async function resumeAfter(
  recorded: readonly FlightEvent[],
  length: number,
  sent: Json[],
): Promise<{ state: RunState; events: FlightEvent[] }> {
  const { driver, events } = resumedRun(
    {
      ...eventful(sent),
      attended: true,
      ports: {
        onEvent: (event) => {
          if (event.type !== 'approval.requested') return;
          expect(event).toMatchObject({ node: 'sent', question: 'in_doubt' });
          const decided =
            sent.length > 0 ? ({ decision: 'done', value: 1 } as const) : ({ decision: 'approved' } as const);
          driver.submit({
            type: 'approval.decided',
            node: 'sent',
            argsHash: event.argsHash,
            by: 'test',
            ...decided,
          });
        },
      },
    },
    recorded.slice(0, length),
  );
  return { state: await driver.run(), events };
}

describe('a crash after any event', () => {
  it('ends as the uninterrupted run, makes an irreversible call at most once, and buys no recorded answer twice', async () => {
    const whole = await runWhole();
    expect(whole.state.finished?.status).toBe('verified');
    expect(whole.sent).toHaveLength(1);
    const startOfSend = whole.events.findIndex(
      (event) => event.type === 'node.started' && event.node === 'sent',
    );
    expect(startOfSend).toBeGreaterThan(0);
    let doubts = 0;
    for (let length = 2; length < whole.events.length; length++) {
      const recorded = whole.events.slice(0, length);
      const isSent = only(recorded, 'node.done').some((event) => event.node === 'sent');
      const isInDoubt = length > startOfSend && !isSent;
      // What the world has seen at the crash: with a call in doubt either is possible.
      for (const seen of isInDoubt ? [[], ['once']] : [isSent ? ['once'] : []]) {
        const sent: Json[] = [...seen];
        const resumed = await resumeAfter(whole.events, length, sent);
        const where = `after event ${length - 1} (${recorded.at(-1)?.type ?? ''})`;
        expect(endOf(resumed.state), where).toEqual(endOf(whole.state));
        expect(sent.length, where).toBe(1);
        expect(replay(resumed.events, true).divergence, where).toBeNull();
        const bought = only(recorded, 'model.answered').map((event) => event.key);
        const asked = resumed.events
          .slice(length)
          .flatMap((event) => (event.type === 'model.requested' ? [event.key] : []));
        for (const key of bought) expect(asked, where).not.toContain(key);
        if (isInDoubt) doubts++;
      }
    }
    expect(doubts).toBeGreaterThan(1);
  });

  it('holds when it crashes again and again', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
        async (steps) => {
          const whole = await runWhole();
          const sent: Json[] = [];
          let length = 2;
          let events: readonly FlightEvent[] = whole.events;
          for (const step of steps) {
            length = Math.min(length + step, events.length - 1);
            const isSent = only(events.slice(0, length), 'node.done').some((event) => event.node === 'sent');
            sent.length = 0;
            if (isSent) sent.push('once');
            events = (await resumeAfter(events, length, sent)).events;
          }
          expect(endOf(foldEvents(events))).toEqual(endOf(whole.state));
        },
      ),
      { numRuns: 40 },
    ));
});
