/* What a replay must find: an edited result, an edited prompt template, an edited decision rule. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as PlanRequest from '../../src/planner/plan-request.ts';
import type * as MakeCall from '../../src/run/make-call.ts';
import type { ReplayReport } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { hashJson } from '../../src/kernel/hash.ts';
import { runScenario } from './scenario.ts';

// Run before any module is replaced: what they import would not be what the engine imports.
const events = await runScenario('retry-foreach-revision');
const stopped = await runScenario('city-compare-stopped');

async function replayNow(log: readonly FlightEvent[], isStrict = false): Promise<ReplayReport> {
  const { replay } = await import('../../src/engine/replay.ts');
  return replay(log, isStrict);
}

afterEach(() => {
  vi.doUnmock('../../src/planner/plan-request.ts');
  vi.doUnmock('../../src/run/make-call.ts');
  vi.resetModules();
});

describe('a replay', () => {
  it('names an edited result by the first thing that followed from it', async () => {
    const at = events.findIndex((event) => event.type === 'node.done' && event.node === 'each[0]');
    const original = events[at];
    if (original?.type !== 'node.done') throw new Error('the scenario has no such result');
    const edited = await replayNow(events.with(at, { ...original, value: 'edited' }));
    expect(edited.divergence).toMatchObject({
      seq: events.findIndex((event) => event.type === 'node.joined'),
      type: 'node.joined',
      field: 'digest',
      computed: hashJson(['edited', 'b']),
    });
    const output = events.findLastIndex((event) => event.type === 'node.done' && event.node === 'report');
    const report = events[output];
    if (report?.type !== 'node.done') throw new Error('the scenario has no report');
    const forged = await replayNow(events.with(output, { ...report, value: 'About Lima, forged.' }));
    expect(forged.divergence).toMatchObject({ type: 'verdict.reached', field: 'digest' });
  });

  it('warns of an edited prompt template, and names the request where it is strict', async () => {
    const at = events.findIndex((event) => event.type === 'model.requested');
    vi.resetModules();
    vi.doMock('../../src/planner/plan-request.ts', async (importOriginal) => {
      const original = await importOriginal<typeof PlanRequest>();
      return {
        ...original,
        planRequest: (context: Parameters<typeof original.planRequest>[0]) => {
          const request = original.planRequest(context);
          const [system, ...rest] = request.messages;
          return {
            ...request,
            messages: [{ role: 'system', content: `${JSON.stringify(system?.content)} Be quick.` }, ...rest],
          };
        },
      };
    });
    const report = await replayNow(events);
    expect(report.divergence).toBeNull();
    expect(report.warnings).toEqual([`event ${at}: the prompt of plan/1 differs from the recorded one`]);
    expect((await replayNow(events, true)).divergence).toMatchObject({ seq: at, type: 'model.requested' });
  });

  it('names the first event that an edited decision rule would decide otherwise', async () => {
    const at = events.findIndex((event) => event.type === 'retry.scheduled');
    vi.resetModules();
    vi.doMock('../../src/run/make-call.ts', async (importOriginal) => ({
      ...(await importOriginal<typeof MakeCall>()),
      backoffMs: () => 12_345,
    }));
    expect((await replayNow(events)).divergence).toMatchObject({
      seq: at,
      type: 'retry.scheduled',
      field: 'delayMs',
      computed: 12_345,
    });
  });

  it('says where a decision was left out or put in', async () => {
    const at = events.findIndex((event) => event.type === 'level.started');
    const without = events.toSpliced(at, 1);
    expect((await replayNow(without)).divergence).toMatchObject({ field: 'type', computed: 'level.started' });
    const skipped: FlightEvent = {
      seq: at + 2,
      at: 0,
      type: 'node.skipped',
      node: 'report',
      reason: 'stopped',
    };
    expect((await replayNow(events.toSpliced(at + 2, 0, skipped))).divergence).toMatchObject({
      seq: at + 2,
      field: 'type',
    });
  });

  it('says plainly that it cannot recompute what other rules decided', async () => {
    const [first, ...rest] = stopped;
    if (first?.type !== 'run.started') throw new Error('a log begins with run.started');
    const report = await replayNow([{ ...first, rules: 999 }, ...rest]);
    expect(report).toMatchObject({ divergence: null, isComplete: true });
    expect(report.warnings).toEqual([expect.stringContaining('rules 999')]);
  });
});
