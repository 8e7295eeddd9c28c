import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../../src/contracts/tool.ts';
import { MAX_RESULT_CHARS } from '../../../src/tools/accept-result.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { defineTool, type ToolSchema } from '../../../src/tools/define-tool.ts';
import { createToolContext } from '../../support/tool-context.ts';

const context = createToolContext();

function returning(value: unknown, output?: ToolSchema): Tool {
  return defineTool({
    name: 'give',
    description: 'Gives.',
    input: true,
    ...(output === undefined ? {} : { output }),
    costHint: 0,
    effect: 'read',
    run: () => value,
  });
}

const cycle: Record<string, unknown> = {};
cycle['self'] = { again: cycle };

describe('callTool', () => {
  it('gives the result of a synchronous tool without a promise, frozen', () => {
    const value = callTool(returning({ list: [1] }), {}, context);
    expect(value).toEqual({ list: [1] });
    expect(Object.isFrozen(value)).toBe(true);
  });

  it('gives a promise of the result of an asynchronous tool', async () => {
    await expect(callTool(returning(Promise.resolve('later')), {}, context)).resolves.toBe('later');
  });

  it('passes on what the tool throws', async () => {
    const failing = { ...returning(null), run: () => Promise.reject(new Error('broken')) };
    await expect(callTool(failing, {}, context)).rejects.toThrow('broken');
  });

  it.each([
    ['undefined', undefined, '', 'tool "give" returned undefined; return null for nothing'],
    ['a cycle', cycle, '/self/again', 'the result of tool "give" is not plain JSON at /self/again: a cycle'],
    ['a BigInt', { n: [1n] }, '/n/0', 'the result of tool "give" is not plain JSON at /n/0: a bigint'],
    [
      'NaN',
      Number.NaN,
      '',
      'the result of tool "give" is not plain JSON at (root): NaN is not a JSON number',
    ],
    [
      'a class instance',
      new Map(),
      '',
      'the result of tool "give" is not plain JSON at (root): an instance of Map',
    ],
  ])('refuses %s, naming tool and pointer', (_what, value, pointer, message) => {
    expect(() => callTool(returning(value), {}, context)).toThrow(
      expect.objectContaining({ code: 'not_json_value', message, details: { tool: 'give', pointer } }),
    );
  });

  it.each([
    ['a text', 'x'.repeat(50_000_000)],
    ['a list', Array.from({ length: 70 }, () => 'x'.repeat(500_000))],
    ['nested lists', Array.from({ length: 40_000 }, () => [['x'.repeat(1000)]])],
    [
      'an object',
      Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`k${index}`, 'x'.repeat(500_000)])),
    ],
  ])('refuses %s that is too large', (_what, value) => {
    expect(() => callTool(returning(value), {}, context)).toThrow(
      expect.objectContaining({
        code: 'tool_output_invalid',
        message: expect.stringContaining('too large') as string,
      }),
    );
  });

  it('takes what is just small enough', () => {
    expect(callTool(returning('x'.repeat(MAX_RESULT_CHARS - 2)), {}, context)).toHaveLength(
      MAX_RESULT_CHARS - 2,
    );
  });

  it.each([
    ['zod', z.strictObject({ population: z.int() })],
    ['JSON', { type: 'object', properties: { population: { type: 'integer' } }, required: ['population'] }],
  ])('refuses a result that breaks the output schema (%s)', (_kind, output: ToolSchema) => {
    expect(callTool(returning({ population: 3 }, output), {}, context)).toEqual({ population: 3 });
    expect(() => callTool(returning({ population: 1.5 }, output), {}, context)).toThrow(
      expect.objectContaining({
        code: 'tool_output_invalid',
        details: { tool: 'give', issues: [expect.objectContaining({ pointer: '/population' })] },
      }),
    );
  });

  it('holds a result to refinements that JSON Schema cannot express', () => {
    const output = z.string().refine((text) => text === text.trim(), 'has blanks around it');
    expect(() => callTool(returning(' x ', output), {}, context)).toThrow('has blanks around it');
  });
});
