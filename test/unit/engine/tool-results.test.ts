import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/kernel/errors.ts';
import { echoTool, node, only, plan, task } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const ONE = { limits: { attempts: 1, replans: 0 } };

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
