import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/manual-clock.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { MemoryFlightLog } from '../../../src/flight/memory-log.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { createDeferred } from '../../../src/testing.ts';
import { echoTool, node, only, plan, task, types } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

describe('an interruption', () => {
  it('starts nothing more, waits for what is under way, and leaves the log resumable', async () => {
    const gates = [createDeferred<number>(), createDeferred<number>()];
    let next = 0;
    const gated = echoTool('gated', { run: () => gates[next++]?.promise ?? 0 });
    const { driver, events } = engineRun({
      tools: [gated],
      task: task({ concurrency: 1 }),
      plan: plan(node('a', { tool: 'gated' }), node('b', { tool: 'gated', deps: ['a'] })),
    });
    const ended = driver.run();
    await vi.waitFor(() => expect(types(events)).toContain('node.started'));
    driver.cancel('test');
    await vi.waitFor(() => expect(types(events)).toContain('cancel.requested'));
    gates[0]?.reject(new Error('stopped'));
    const state = await ended;
    expect(types(events).slice(-4)).toEqual([
      'cancel.requested',
      'attempt.failed',
      'node.cancelled',
      'run.interrupted',
    ]);
    expect(only(events, 'node.started')).toHaveLength(1);
    expect(state.finished).toBeNull();
  });

  it('keeps a result that comes while it waits', async () => {
    const gate = createDeferred<string>();
    const { driver, events } = engineRun({
      tools: [echoTool('gated', { run: () => gate.promise })],
      task: task(),
      plan: plan(node('a', { tool: 'gated' })),
    });
    const ended = driver.run();
    await vi.waitFor(() => expect(types(events)).toContain('node.started'));
    driver.cancel('test');
    gate.resolve('found');
    expect((await ended).nodes.get('a')).toMatchObject({ status: 'done', value: 'found' });
    expect(types(events).slice(-3)).toEqual(['cancel.requested', 'node.done', 'run.interrupted']);
  });

  it('does not wait longer than the grace', async () => {
    const clock = new ManualClock(0);
    const { driver, events } = engineRun({
      tools: [echoTool('deaf', { run: () => new Promise(() => undefined) })],
      task: task({ limits: { graceMs: 250 } }),
      plan: plan(node('a', { tool: 'deaf' })),
      clock,
    });
    const ended = driver.run();
    driver.cancel('test');
    await clock.runUntil(ended);
    expect(events.at(-1)).toMatchObject({ type: 'run.interrupted', at: 250 });
  });
});

describe('the driver', () => {
  it('ends the run with the error when the log cannot be written, and starts nothing after it', async () => {
    class FullLog extends MemoryFlightLog {
      override get durableSeq(): number {
        return 1;
      }
      override whenDurable(): Promise<void> {
        return Promise.reject(
          new OrchestratorError('log_write_failed', 'no space left', { details: { lastSafeSeq: 1 } }),
        );
      }
    }
    let calls = 0;
    const { driver } = engineRun({
      tools: [echoTool('count', { run: () => ++calls })],
      task: task(),
      plan: plan(node('a', { tool: 'count' })),
      log: new FullLog(),
    });
    await expect(driver.run()).rejects.toMatchObject({ code: 'log_write_failed' });
    expect(calls).toBe(0);
  });

  it('gives the event loop its turn while nodes that never wait run', async () => {
    let turns = 0;
    const count = setInterval(() => turns++, 1);
    const nodes = Array.from({ length: 5000 }, (_, index) => node(`n${index}`));
    const { driver } = engineRun({
      tools: [echoTool()],
      task: task({ limits: { maxNodes: 6000 } }),
      plan: plan(...nodes),
    });
    await driver.run();
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
  });

  it('folds what onEvent calls after what is owed', async () => {
    const seen: FlightEvent['type'][] = [];
    const { driver } = engineRun({
      tools: [echoTool()],
      task: task(),
      plan: plan(node('a'), node('b', { deps: ['a'] })),
      ports: {
        onEvent: (event) => {
          seen.push(event.type);
          if (event.type === 'plan.accepted') driver.cancel('by the observer');
        },
      },
    });
    await driver.run();
    expect(seen.slice(2)).toEqual([
      'plan.accepted',
      'level.started',
      'node.started',
      'cancel.requested',
      'node.done',
      'run.interrupted',
    ]);
  });

  it('asks a person, binds the consent to the arguments, and goes on', async () => {
    const sent: unknown[] = [];
    const send = echoTool('send', {
      effect: 'irreversible',
      run: (args) => {
        sent.push(args);
        return 'sent';
      },
    });
    const { driver, events } = engineRun({
      tools: [send],
      task: task(),
      plan: plan(node('a', { tool: 'send', args: { value: 'hello' } })),
      attended: true,
      ports: {
        onEvent: (event) => {
          if (event.type !== 'approval.requested') return;
          expect(sent).toEqual([]);
          driver.submit({
            type: 'approval.decided',
            node: event.node,
            argsHash: event.argsHash,
            decision: 'approved',
            by: 'me',
          });
        },
      },
    });
    const state = await driver.run();
    expect(sent).toEqual([{ value: 'hello' }]);
    expect(only(events, 'approval.requested')).toMatchObject([
      { node: 'a', tool: 'send', args: { value: 'hello' } },
    ]);
    expect(state.finished?.status).toBe('unverified');
  });

  it('ends as waiting where nobody answers', async () => {
    const { driver } = engineRun({
      tools: [echoTool('send', { effect: 'irreversible' })],
      task: task(),
      plan: plan(node('a', { tool: 'send' })),
    });
    expect((await driver.run()).finished?.status).toBe('waiting');
  });
});
