import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { createToolContext } from '../../support/tool-context.ts';

const context = createToolContext();
const basic = { name: 'basic', description: 'Basic.', costHint: 1, effect: 'read', run: () => null } as const;

function faultOf(definition: object): OrchestratorError {
  try {
    defineTool(definition as Parameters<typeof defineTool>[0]);
  } catch (error) {
    if (error instanceof OrchestratorError) return error;
    throw error;
  }
  throw new Error('the definition was accepted');
}

describe('defineTool', () => {
  it('writes a plain spec from zod schemas', () => {
    const tool = defineTool({
      ...basic,
      input: z.strictObject({ city: z.string().describe('Name.'), top: z.int().default(3) }),
      output: z.object({ people: z.number() }),
      run: () => ({ people: 1 }),
      cache: true,
      timeoutMs: 500,
      rateLimit: { perMinute: 30 },
    });
    expect(JSON.parse(JSON.stringify(tool.spec))).toEqual({
      name: 'basic',
      description: 'Basic.',
      input: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Name.' },
          top: { type: 'integer', default: 3, minimum: -9007199254740991, maximum: 9007199254740991 },
        },
        required: ['city'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { people: { type: 'number' } }, required: ['people'] },
      costHint: 1,
      effect: 'read',
      cache: true,
      timeoutMs: 500,
      rateLimit: { perMinute: 30 },
    });
  });

  it('gives run what zod parsed, typed', () => {
    const tool = defineTool({
      ...basic,
      input: z.strictObject({ day: z.string().transform(Number), top: z.int().default(3) }),
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{ day: number; top: number }>();
        return args.day + args.top;
      },
    });
    expect(tool.run({ day: '4' }, context)).toBe(7);
  });

  it('gives run plain arguments where the input is a JSON Schema', () => {
    const input = { type: 'object', properties: { a: { type: 'number' } } };
    expect(defineTool({ ...basic, input, run: (args) => args['a'] }).run({ a: 1 }, context)).toBe(1);
  });

  it('turns a failed refinement into a TOOL_MISUSE with its issues', () => {
    const input = z.strictObject({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });
    const tool = defineTool({ ...basic, input });
    expect(() => tool.run({ n: 1 }, context)).toThrow(
      expect.objectContaining({
        code: 'tool_misuse',
        retry: 'TOOL_MISUSE',
        message: 'arguments of tool "basic" are invalid: /n: must be even',
        details: { issues: [{ pointer: '/n', message: 'must be even' }] },
      }),
    );
  });

  it('waits for an asynchronous refinement', async () => {
    const input = z.strictObject({
      n: z.number().refine(async (n) => (await Promise.resolve(n)) > 0, 'too small'),
    });
    const tool = defineTool({ ...basic, input, run: ({ n }) => n });
    await expect(tool.run({ n: 2 }, context)).resolves.toBe(2);
    await expect(tool.run({ n: -2 }, context)).rejects.toMatchObject({ code: 'tool_misuse' });
  });

  it.each([
    [{ name: 'no spaces' }, 'name must be 1 to 64 of A-Z, a-z, 0-9, _ and -'],
    [{ name: 'x'.repeat(65) }, 'name must be 1 to 64 of A-Z, a-z, 0-9, _ and -'],
    [{ description: '  ' }, 'description is missing; planners choose by it'],
    [{ costHint: Number.NaN }, 'costHint must be a number from 0'],
    [{ costHint: -1 }, 'costHint must be a number from 0'],
    [{ effect: 'wirte' }, "effect must be 'read', 'write' or 'irreversible'"],
    [{ timeoutMs: 0 }, 'timeoutMs must be a whole number of milliseconds above 0'],
    [{ rateLimit: { perMinute: 0.5 } }, 'rateLimit.perMinute must be a whole number above 0'],
    [{ rateLimit: null }, 'rateLimit.perMinute must be a whole number above 0'],
    [{ argumentKinds: ['path'] }, 'argumentKinds must name a kind for each argument'],
    [
      { input: { type: 'object', properties: { n: {} } }, argumentKinds: { n: 'file' } },
      'argumentKinds.n must be one of path, url, host, command, code, recipient',
    ],
    [{ argumentKinds: { m: 'path' } }, 'argumentKinds.m: input has no such property'],
    [{ cache: 'yes' }, 'cache must be true or false'],
    [{ timeoutMS: 3 }, 'unknown key timeoutMS; did you mean timeoutMs?'],
    [{ run: 'x' }, 'run must be a function'],
    [{ input: z.strictObject({ on: z.date() }) }, 'input: Date cannot be represented in JSON Schema'],
    [{ output: z.bigint() }, 'output: BigInt cannot be represented in JSON Schema'],
    [{ input: { type: 'banana' } }, 'input: Unsupported type: banana'],
    [{ input: z.string() }, 'input must describe an object'],
    [{ input: false }, 'input must describe an object'],
    [{ input: 'text' }, 'input must be a zod schema or a JSON Schema'],
    [{ input: undefined }, 'input: not plain JSON at (root): undefined'],
  ])('refuses %j', (change, fault) => {
    const error = faultOf({ ...basic, input: z.strictObject({}), ...change });
    expect(error.code).toBe('tool_invalid');
    expect(error.message).toContain(fault);
    expect(error.message).toMatch(/^tool "/);
    expect(error.details['faults']).toEqual([fault]);
  });

  it('names every fault at once', () => {
    expect(faultOf({ ...basic, input: true, costHint: '1', effect: 'x' }).details['faults']).toHaveLength(2);
  });
});
