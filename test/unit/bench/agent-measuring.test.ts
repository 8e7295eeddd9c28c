/* What the comparison of engines is measured with: a clock that waits for what is real, and draws that all engines share. */
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../bench/agents/count-tokens.mjs';
import { createLatency } from '../../../bench/agents/latency.mjs';
import { Meter } from '../../../bench/agents/metered-provider.mjs';
import { meterTool, nameCall } from '../../../bench/agents/metered-tool.mjs';
import { PatientClock } from '../../../bench/agents/patient-clock.mjs';
import { ManualClock } from '../../../src/testing.ts';
import { echoTool } from '../../support/core.ts';
import { createToolContext } from '../../support/tool-context.ts';

describe('the patient clock', () => {
  it('jumps from timer to timer, and stands still while something real is under way', async () => {
    const clock = new PatientClock(new ManualClock());
    const seen: string[] = [];
    clock.setTimer(10, () => seen.push(`timer at ${clock.now()}`));
    const real = clock.hold(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(`real at ${clock.now()}`);
    });
    await clock.runUntil(real.then(() => clock.sleep(500)));
    expect(seen).toEqual(['real at 0', 'timer at 10']);
    expect(clock.now()).toBe(500);
  });

  it('passes on a failure, and forgets a timer that was taken back', async () => {
    const clock = new PatientClock(new ManualClock());
    const cancel = clock.setTimer(10, () => expect.fail('it was taken back'));
    cancel();
    const failing = clock.sleep(20).then(() => Promise.reject(new Error('no')));
    await expect(clock.runUntil(failing)).rejects.toThrow('no');
    expect(clock.now()).toBe(20);
  });
});

describe('latencies', () => {
  it('follow from the seed and the call, not from the order of calls', () => {
    const [one, other] = [createLatency(5, { hasFaults: true }), createLatency(5, { hasFaults: true })];
    const times = ['search a 1', 'search b 1'].map((call) => one.toolMs('search', call));
    expect(['search b 1', 'search a 1'].map((call) => other.toolMs('search', call)).reverse()).toEqual(times);
    expect(times[0]).not.toBe(times[1]);
    expect(createLatency(6).toolMs('search', 'search a 1')).not.toBe(times[0]);
    const calls = Array.from({ length: 2000 }, (_, index) => `read_file ${index} 1`);
    const faults = calls.filter((call) => one.isFault(call));
    expect(calls.filter((call) => other.isFault(call))).toEqual(faults);
    expect(faults.length).toBeGreaterThan(50);
    expect(faults.length).toBeLessThan(200);
  });
});

describe('counting', () => {
  it('takes a quarter of all characters that are sent and received', () => {
    const request = {
      ...{ role: 'agent', model: '', maxOutputTokens: 10 },
      messages: [{ role: 'user' as const, content: 'x'.repeat(400) }],
    };
    expect(countTokens(request, { text: 'y'.repeat(40) })).toMatchObject({
      inputTokens: 100,
      outputTokens: 10,
    });
    const tools = [{ name: 'a', description: 'b'.repeat(100), input: {} }];
    expect(countTokens({ ...request, tools }, {}).inputTokens).toBeGreaterThan(125);
  });

  it('tells calls that were made again for nothing from those that failed before', async () => {
    const meter = new Meter();
    const clock = new PatientClock(new ManualClock());
    const failsFirst = { modelMs: () => 0, toolMs: () => 5, isFault: (call: string) => call.endsWith(' 1') };
    const tool = meterTool(echoTool(), {
      ...{ clock, meter, latency: failsFirst },
      createFault: (text) => new Error(text),
    });
    const call = () => clock.runUntil(Promise.resolve(tool.run({ value: 1 }, createToolContext())));
    await expect(call()).rejects.toThrow('the connection was lost');
    await call();
    expect(meter).toMatchObject({ failedCalls: 1, repeatedCalls: 0 });
    await call();
    expect(meter).toMatchObject({ failedCalls: 1, repeatedCalls: 1 });
    expect(clock.now()).toBe(15);
    expect(nameCall('a', { x: 1, y: [2] })).toBe(nameCall('a', { y: [2], x: 1 }));
  });
});
