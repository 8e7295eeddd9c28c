import { describe, expect, it } from 'vitest';
import type { RecalledContext } from '../../../src/contracts/memory.ts';
import type { Memory, Provider } from '../../../src/contracts/ports.ts';
import { ManualClock } from '../../../src/engine/manual-clock.ts';
import { replay } from '../../../src/engine/replay.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { createMasker } from '../../../src/flight/mask.ts';
import type { EnginePorts } from '../../../src/engine/ports.ts';
import { answer, echoTool, node, only, plan, task } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

/** Answers the planner, and keeps what it was told. */
function planner(): { provider: Provider; told: string[] } {
  const told: string[] = [];
  const provider: Provider = {
    name: 'planner',
    complete: (request) => {
      told.push(JSON.stringify(request.messages));
      return Promise.resolve(answer(JSON.stringify(plan(node('a')))));
    },
  };
  return { provider, told };
}

async function runWith(
  recall: Memory['recall'],
  ports: Partial<EnginePorts> = {},
): Promise<{ events: FlightEvent[]; told: string[]; status: string | undefined }> {
  const clock = new ManualClock(0);
  const { provider, told } = planner();
  const memory: Memory = { recall };
  const { driver, events } = engineRun({
    tools: [echoTool()],
    task: task({ memory: { contextChars: 500, timeoutMs: 700 } }),
    provider,
    clock,
    ports: { memory, ...ports },
  });
  const state = await clock.runUntil(driver.run());
  return { events, told, status: state.finished?.status };
}

const context = (text: string): RecalledContext => ({ text, included: [], warnings: [] });

describe('what memory gives to a run', () => {
  it('is in its log and in its prompt, and is not asked for again in a replay', async () => {
    const requests: unknown[] = [];
    const { events, told, status } = await runWith((request) => {
      requests.push(request);
      return Promise.resolve(context('KNOWN OF OLD'));
    });
    expect(status).toBe('unverified');
    expect(requests).toEqual([
      { key: 'memory/plan/1', query: 'Reach the goal.', working: {}, budgetChars: 500 },
    ]);
    expect(only(events, 'run.started')).toMatchObject([{ memory: true }]);
    expect(only(events, 'memory.recalled')).toMatchObject([{ key: 'memory/plan/1', text: 'KNOWN OF OLD' }]);
    expect(told[0]).toContain('KNOWN OF OLD');
    expect(replay(events, true)).toMatchObject({ divergence: null, warnings: [], isComplete: true });
    expect(requests).toHaveLength(1);
  });

  it('counts in the hash of the prompt: an edited memory is a divergence', async () => {
    const { events } = await runWith(() => Promise.resolve(context('KNOWN OF OLD')));
    const edited = events.map((event) =>
      event.type === 'memory.recalled' ? { ...event, text: 'SOMETHING ELSE' } : event,
    );
    expect(replay(edited, true).divergence).toMatchObject({ type: 'model.requested', field: 'request' });
  });

  it('is masked where it holds a known credential', async () => {
    const { events, told } = await runWith(() => Promise.resolve(context('the key is hunter2hunter2')), {
      mask: createMasker(['hunter2hunter2']),
    });
    expect(JSON.stringify([events, told])).not.toContain('hunter2');
    expect(told[0]).toContain('the key is [masked]');
  });

  it.each<[string, Memory['recall'], string]>([
    ['that rejects', () => Promise.reject(new Error('the disk is gone')), 'the disk is gone'],
    [
      'that throws',
      () => {
        throw new Error('the disk is gone');
      },
      'the disk is gone',
    ],
    ['that gives too much', () => Promise.resolve(context('x'.repeat(501))), '501 characters, 500'],
    ['that gives no context', () => Promise.resolve({ text: 5 } as unknown as RecalledContext), 'text'],
  ])('by a store %s is nothing, with a warning; the run goes on', async (_name, recall, warning) => {
    const { events, told, status } = await runWith(recall);
    expect(status).toBe('unverified');
    const [recalled] = only(events, 'memory.recalled');
    expect(recalled).toMatchObject({ text: '', included: [] });
    expect(recalled?.warnings.join()).toContain(warning);
    expect(recalled).not.toHaveProperty('timedOut');
    expect(told[0]).not.toContain('of earlier runs');
  });

  it('too late is nothing from its deadline on; what comes then is dropped', async () => {
    let late: (context: RecalledContext) => void = () => undefined;
    const { events, status } = await runWith(
      () =>
        new Promise((resolve) => {
          late = resolve;
        }),
    );
    late(context('LATE'));
    await Promise.resolve();
    expect(status).toBe('unverified');
    expect(events.find(({ type }) => type === 'memory.recalled')).toMatchObject({
      ...{ at: 700, text: '', timedOut: true, warnings: ['nothing was recalled within 700 ms'] },
    });
    expect(JSON.stringify(events)).not.toContain('LATE');
  });
});
