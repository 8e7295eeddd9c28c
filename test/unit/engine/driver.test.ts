import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../../../src/engine/manual-clock.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { MemoryFlightLog } from '../../../src/flight/memory-log.ts';
import { OrchestratorError, ToolError } from '../../../src/kernel/errors.ts';
import { createDeferred, ScriptedProvider } from '../../../src/testing.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { answer, askingTool, echoTool, node, only, plan, task, types } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const ONE = { limits: { attempts: 1, replans: 0 } };

describe('a call that does not return in time', () => {
  it('is aborted at its deadline and fails as a timeout, whatever it returns then', async () => {
    const clock = new ManualClock(1000);
    const abortedAt: number[] = [];
    const slow = echoTool('slow', {
      timeoutMs: 500,
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            abortedAt.push(clock.now());
            resolve('too late');
          });
        }),
    });
    const { driver, events } = engineRun({
      tools: [slow],
      task: task(ONE),
      plan: plan(node('a', { tool: 'slow' })),
      clock,
    });
    const state = await clock.runUntil(driver.run());
    expect(abortedAt).toEqual([1500]);
    expect(only(events, 'attempt.failed')).toMatchObject([
      { node: 'a', failure: { code: 'timeout', class: 'TRANSIENT' } },
    ]);
    expect(only(events, 'attempt.failed')[0]).not.toHaveProperty('lingering');
    expect(state.finished?.status).toBe('failed');
  });

  it('keeps the late result of a call that changed the world', async () => {
    const clock = new ManualClock(0);
    const slow = echoTool('put', {
      effect: 'write',
      timeoutMs: 100,
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve('written');
          });
        }),
    });
    const { driver } = engineRun({
      tools: [slow],
      task: task(ONE),
      plan: plan(node('a', { tool: 'put' })),
      clock,
    });
    const state = await clock.runUntil(driver.run());
    expect(state.nodes.get('a')).toMatchObject({ status: 'done', value: 'written' });
  });

  it('keeps its slot while it ignores the abort, until the grace ends, and is then said to linger', async () => {
    const clock = new ManualClock(0);
    const deaf = echoTool('deaf', { timeoutMs: 100, run: () => new Promise(() => undefined) });
    const { driver, events } = engineRun({
      tools: [deaf, echoTool()],
      task: task({ ...ONE, concurrency: 1, limits: { attempts: 1, graceMs: 300 } }),
      plan: plan(node('a', { tool: 'deaf', optional: true }), node('b'), node('end', { deps: ['a', 'b'] })),
      clock,
    });
    await clock.runUntil(driver.run());
    const ended = events.find((event) => event.type === 'attempt.failed');
    expect(ended).toMatchObject({ at: 400, lingering: true, failure: { code: 'timeout' } });
    expect(events.find((event) => event.type === 'node.started' && event.node === 'b')?.at).toBe(400);
  });

  it('gives each attempt a deadline of its own', async () => {
    const clock = new ManualClock(0);
    const attempts: number[] = [];
    const slow = echoTool('slow', {
      timeoutMs: 100,
      run: (_, { signal }) => {
        attempts.push(clock.now());
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        });
      },
    });
    const { driver } = engineRun({
      tools: [slow],
      task: task({ limits: { attempts: 3, backoffMs: 100 } }),
      plan: plan(node('a', { tool: 'slow' })),
      clock,
    });
    await clock.runUntil(driver.run());
    expect(attempts).toEqual([0, 150, 350]);
  });
});

describe('what a tool throws or returns', () => {
  const outcomes: [string, (args: unknown) => unknown, string, string][] = [
    [
      'throws a typed error',
      () => {
        throw new ToolError('MISSING_INFO', 'no such city');
      },
      'missing_info',
      'no such city',
    ],
    [
      'throws a plain error',
      () => {
        throw new Error('boom');
      },
      'tool_failed',
      'boom',
    ],
    [
      'throws no error at all',
      () => {
        throw 'text' as unknown as Error;
      },
      'tool_failed',
      '"text"',
    ],
    ['rejects', () => Promise.reject(new Error('later')), 'tool_failed', 'later'],
    [
      'loses its connection',
      () => {
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
      'tool_transient',
      'reset',
    ],
    ['returns undefined', () => undefined, 'not_json_value', 'undefined'],
    ['returns a BigInt', () => ({ n: 1n }), 'not_json_value', '/n'],
    [
      'returns a cycle',
      () => {
        const ring: Record<string, unknown> = {};
        ring['self'] = ring;
        return ring;
      },
      'not_json_value',
      '/self',
    ],
    ['returns a function', () => [() => 1], 'not_json_value', '/0'],
    ['returns NaN', () => ({ a: { b: NaN } }), 'not_json_value', '/a/b'],
    ['returns 50 MB', () => 'x'.repeat(50_000_000), 'tool_output_invalid', 'large'],
  ];

  it.each(outcomes)('%s: fails its node with a clear error', async (_, run, code, text) => {
    const { driver, events } = engineRun({
      tools: [echoTool('odd', { run })],
      task: task(ONE),
      plan: plan(node('a', { tool: 'odd' })),
    });
    await driver.run();
    const failure = only(events, 'node.failed')[0]?.failure;
    expect(failure?.code).toBe(code);
    expect(failure?.message).toContain(text);
  });

  it('is checked against the output schema', async () => {
    const wrong = echoTool('wrong', {
      output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      run: () => ({ n: '1' }),
    });
    const { driver, events } = engineRun({
      tools: [wrong],
      task: task(ONE),
      plan: plan(node('a', { tool: 'wrong' })),
    });
    await driver.run();
    expect(only(events, 'node.failed')[0]?.failure).toMatchObject({
      code: 'tool_output_invalid',
      message: expect.stringContaining('/n') as string,
    });
  });

  it('does not change when the tool changes its object afterwards', async () => {
    const kept = { list: [1] };
    const { driver } = engineRun({
      tools: [
        echoTool('keep', { run: () => kept }),
        echoTool('spoil', {
          run: () => {
            kept.list.push(2);
            return kept.list.length;
          },
        }),
      ],
      task: task(),
      plan: plan(node('a', { tool: 'keep' }), node('b', { tool: 'spoil', deps: ['a'] })),
    });
    const state = await driver.run();
    expect(state.nodes.get('b')?.value).toBe(2);
    expect(state.nodes.get('a')?.value).toEqual({ list: [1] });
  });
});

describe('ctx.ask', () => {
  const writing = {
    tools: [askingTool],
    task: task(ONE),
    plan: plan(node('w', { tool: 'write', args: { about: 'Lima' } })),
  };

  it('is a call with a key, a reservation and a request of its own in the log', async () => {
    const provider = new ScriptedProvider([{ role: 'writer', reply: 'About Lima.' }]);
    const { driver, events } = engineRun({ ...writing, provider });
    const state = await driver.run();
    provider.assertConsumed();
    expect(state.nodes.get('w')?.value).toBe('About Lima.');
    expect(only(events, 'ask.received')).toMatchObject([
      { key: 'w/1/1', node: 'w', attempt: 1, role: 'writer', request: { prompt: '"Lima"' } },
    ]);
    expect(only(events, 'model.requested')).toMatchObject([{ key: 'w/1/1', role: 'writer', node: 'w' }]);
  });

  it.each([
    ['cut by length', { text: 'half a', stop: 'length' } as const, 'model_truncated'],
    ['refused', { text: 'I cannot', stop: 'refusal' } as const, 'model_refused'],
    ['empty', { text: '  ' } as const, 'model_empty'],
  ])('throws a typed error where the answer is %s', async (_, reply, code) => {
    const provider = new ScriptedProvider([{ role: 'writer', reply: { ...answer(''), ...reply } }]);
    const { driver, events } = engineRun({ ...writing, provider });
    const state = await driver.run();
    expect(only(events, 'ask.failed')).toMatchObject([{ key: 'w/1/1', failure: { code } }]);
    expect(only(events, 'node.failed')).toMatchObject([{ node: 'w', failure: { code } }]);
    expect(state.finished?.status).toBe('failed');
  });

  it('is tried again after a transient failure, and the tool sees only the answer', async () => {
    const provider = new ScriptedProvider([
      { role: 'writer', reply: new OrchestratorError('model_overloaded', '529') },
      { role: 'writer', reply: 'at last' },
    ]);
    const { driver, events } = engineRun({ ...writing, task: task({ limits: { backoffMs: 0 } }), provider });
    const state = await driver.run();
    expect(state.nodes.get('w')?.value).toBe('at last');
    expect(only(events, 'model.requested').map(({ key }) => key)).toEqual(['w/1/1', 'w/1/1#2']);
  });

  it('is aborted with the call that asked', async () => {
    const clock = new ManualClock(0);
    const reply = createDeferred<string>();
    const provider = new ScriptedProvider([{ role: 'writer', reply: reply.promise }]);
    const { driver, events } = engineRun({
      ...writing,
      tools: [{ ...askingTool, spec: { ...askingTool.spec, timeoutMs: 100 } }],
      provider,
      clock,
    });
    await clock.runUntil(driver.run());
    expect(only(events, 'attempt.failed')).toMatchObject([{ failure: { code: 'timeout' } }]);
    expect(types(events)).not.toContain('model.answered');
  });

  it('refuses a malformed question with what is wrong', async () => {
    const bad = defineTool({
      name: 'bad',
      description: 'Asks badly.',
      input: z.strictObject({}),
      costHint: 1,
      effect: 'read',
      run: (_, context) => context.ask('writer', { prompt: 3 } as never),
    });
    const { driver, events } = engineRun({
      tools: [bad],
      task: task(ONE),
      plan: plan(node('a', { tool: 'bad' })),
    });
    await driver.run();
    expect(only(events, 'node.failed')[0]?.failure.message).toMatch(/ctx\.ask\("writer"\).*prompt/);
  });
});

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
    await new Promise((resolve) => setImmediate(resolve));
    driver.cancel('test');
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
    await new Promise((resolve) => setImmediate(resolve));
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
