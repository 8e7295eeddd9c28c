/* I4 with a memory: crash after any event, resume, and the run ends as the uninterrupted one, each call told what it was told. */
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Memory, Provider } from '../../src/contracts/ports.ts';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { toRunResult } from '../../src/run/run-result.ts';
import type { RunState } from '../../src/run/state.ts';
import { answer, askingTool, echoTool, node, only, plan } from '../support/core.ts';
import { engineRun, type EngineRun, resumedRun } from '../support/engine-run.ts';

const PLAN = plan(
  node('list', { args: { value: ['a', 'b'] } }),
  node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
  node('number', { args: { value: 5 } }),
  node('text', { tool: 'strict', args: { value: { $ref: 'number' } } }),
  node('aside', { tool: 'write', args: { about: { $ref: 'each' } } }),
  node('report', { tool: 'write', args: { about: [{ $ref: 'text' }, { $ref: 'aside' }] } }),
);

const REPLIES: Readonly<Record<string, string>> = {
  planner: JSON.stringify(PLAN),
  repairer: '{"value": "5"}',
  writer: 'About Lima.',
  critic: '{"score": 0.9, "issues": []}',
  archivist: 'Summed up.',
};

/** A run with a foreach, questions side by side, a repair, a judge and a summary, and what its models were told. */
function remembering(told: ModelRequest[]): EngineRun {
  const provider: Provider = {
    name: 'by role',
    complete: (request) => {
      told.push(request);
      return Promise.resolve(answer(REPLIES[request.role] ?? ''));
    },
  };
  const memory: Memory = {
    recall: ({ key }) =>
      Promise.resolve({
        ...{ text: `KNOWN FOR ${key}.`, included: [], warnings: [] },
        overflow: { tier: 'episodic', ids: ['old'], request: { prompt: 'Sum up.' } },
      }),
  };
  const strict = echoTool('strict', {
    input: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
  });
  return {
    tools: [echoTool(), askingTool, strict],
    task: { concurrency: 2, verify: { judge: 'on', checks: [{ includes: 'Lima' }] } },
    ports: { memory },
    provider,
  };
}

function endOf(state: RunState): unknown {
  const { status, answer: value, verdict, nodes } = toRunResult(state, null);
  return { status, value, verdict, nodes: nodes.map(({ id, state: ended }) => [id, ended]) };
}

/** What each question was told, whatever else it holds. */
const knownTo = (told: readonly ModelRequest[]): string[] =>
  told.flatMap(({ role, messages }) =>
    role === 'archivist' ? [] : [/KNOWN FOR [^.]+/.exec(JSON.stringify(messages))?.[0] ?? `${role}: nothing`],
  );

describe('a crash of a run with a memory after any event', () => {
  it('ends as the uninterrupted run, and every call is told what is known', async () => {
    const whole = engineRun(remembering([]));
    const end = endOf(await whole.driver.run());
    expect(end).toMatchObject({ status: 'verified' });
    const calls = only(whole.events, 'memory.requested').map(({ call }) => call);
    expect(calls.toSorted()).toEqual(['aside/1/1', 'judge/1', 'plan/1', 'repair/text/1', 'report/1/1']);
    expect(only(whole.events, 'model.requested').at(-1)?.role).toBe('archivist');
    for (let length = 2; length < whole.events.length; length++) {
      const told: ModelRequest[] = [];
      const recorded: readonly FlightEvent[] = whole.events.slice(0, length);
      const { driver, events } = resumedRun(remembering(told), recorded);
      const state = await driver.run();
      const where = `after event ${length - 1} (${recorded.at(-1)?.type ?? ''})`;
      expect(endOf(state), where).toEqual(end);
      expect(
        knownTo(told).filter((known) => known.endsWith('nothing')),
        where,
      ).toEqual([]);
      const recalled = only(recorded, 'memory.recalled').map(({ key }) => key);
      const again = only(events.slice(length), 'memory.requested').map(({ key }) => key);
      // What came for a call of the run's own is kept; a tool that runs again asks again.
      for (const key of recalled.filter((each) => /plan|judge|repair/.test(each))) {
        expect(again, where).not.toContain(key);
      }
      expect(replay(events, true), where).toMatchObject({ divergence: null, warnings: [] });
    }
  });
});
