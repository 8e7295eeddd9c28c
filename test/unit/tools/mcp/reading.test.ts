import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import type { ToolSpec } from '../../../../src/contracts/tool.ts';
import { readCallResult } from '../../../../src/tools/mcp/call-result.ts';
import { cleanText, quoteText } from '../../../../src/tools/mcp/clean-text.ts';
import { LineBuffer, MAX_LINE_CHARS, MAX_NOISE_CHARS } from '../../../../src/tools/mcp/line-buffer.ts';
import { readToolList } from '../../../../src/tools/mcp/read-tool-list.ts';
import { changedParts, pinTool } from '../../../../src/tools/tool-pin.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('LineBuffer', () => {
  it('gives the same messages however the bytes are cut, and no noise', () => {
    const text = 'noise\n{"a":"ü"}\n\n  {"b":1}\r\n[1]\nx{"c":1}\n{"d":2}\n';
    const whole = bytes(text);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const lines = new LineBuffer();
        const got = places.slice(1).flatMap((end, index) => lines.push(whole.subarray(places[index], end)));
        expect(got).toEqual(['{"a":"ü"}', '{"b":1}', '{"d":2}']);
      }),
    );
  });

  it('finds the first answer behind a text without a line break, and takes no echo for one', () => {
    const answer = '{"jsonrpc":"2.0","id":0,"result":{"tools":"{}"}}';
    const echo = 'got {"jsonrpc":"2.0","id":0,"method":"initialize"}';
    const lines = new LineBuffer();
    expect(lines.push(bytes(`Starting {now}... ${answer}\n`))).toEqual([answer]);
    expect(lines.push(bytes(`log: ${answer}\n`))).toEqual([]);
    expect(new LineBuffer().push(bytes(`${echo}\n{"level":1}\n..{ "id": 1, "result": 2}\n`))).toEqual([
      '{"level":1}',
      '{ "id": 1, "result": 2}',
    ]);
  });

  it('refuses a line without end, and noise without end, but not noise between messages', () => {
    const chunk = bytes('x'.repeat(1024 * 1024));
    const endless = new LineBuffer();
    expect(() => {
      for (let count = 0; count <= MAX_LINE_CHARS / chunk.length; count++) endless.push(chunk);
    }).toThrow('a line of more than');
    const noise = bytes(`${'x'.repeat(1024 * 1024 - 1)}\n`);
    const rounds = MAX_NOISE_CHARS / noise.length;
    const noisy = new LineBuffer();
    expect(() => {
      for (let count = 0; count <= rounds; count++) noisy.push(noise);
    }).toThrow('no message');
    const sound = new LineBuffer();
    for (let count = 0; count <= rounds * 2; count++) {
      sound.push(noise);
      expect(sound.push(bytes('{}\n'))).toEqual(['{}']);
    }
  });
});

describe('cleanText', () => {
  it('takes out what a person would not see, and keeps the rest', () => {
    const hidden = String.fromCodePoint(0xe0041, 0x200b, 0x202e, 0x7, 0xfeff, 0x1b);
    expect(cleanText(`a${hidden}b\n\tc – ü 日本`)).toBe('ab\n\tc – ü 日本');
    expect(cleanText('\ud800')).toBe('\ufffd');
  });

  it('is quoted on one line', () => {
    expect(quoteText('a\n  b', 10)).toBe('"a b"');
    expect(quoteText('x'.repeat(20), 5)).toBe('"xxxxx…"');
  });
});

describe('readToolList', () => {
  const server = mcpSchema.parse({ s: { command: 'x', totalTimeoutMs: 5000 } })['s'];
  const read = (...tools: unknown[]) => {
    if (server === undefined) throw new Error('no server');
    return readToolList('s', server, tools);
  };
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };

  it('takes what planners and checks go by', () => {
    const [tool] = read({
      name: 'a b',
      title: 'T',
      inputSchema,
      outputSchema: inputSchema,
      _meta: {},
      icons: [],
    }).tools;
    expect(tool).toEqual({
      raw: 'a b',
      spec: {
        ...{ name: tool?.spec.name, description: 'T', input: inputSchema, output: inputSchema },
        ...{ costHint: 1, effect: 'irreversible', openWorld: true, timeoutMs: 5000 },
      },
    });
    expect(read({ name: 'bare', inputSchema }).tools[0]?.spec.description).toBe('bare');
  });

  it('never throws, and gives a usable tool or a reason for each entry', () => {
    const entry = fc.oneof(
      fc.anything(),
      fc.record({
        name: fc.oneof(fc.string(), fc.anything()),
        inputSchema: fc.oneof(fc.constant(inputSchema), fc.object()),
      }),
      fc.record({
        name: fc.string(),
        description: fc.anything(),
        inputSchema: fc.constant(inputSchema),
        annotations: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (tools) => {
        const list = read(...tools);
        for (const { spec } of list.tools) expect(spec.name).toMatch(/^s__[A-Za-z0-9_-]{1,61}$/);
        for (const { reason } of list.quarantined) expect(reason).not.toBe('');
        expect(tools.length === 0 || list.tools.length + list.quarantined.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  const hidden = String.fromCodePoint(0xe0041, 0x202e, 0x1b);

  it('cleans the texts of schemas, and leaves what is clean as it is', () => {
    const schemaOf = (text: string) => ({
      type: 'object',
      title: `${text}T`,
      properties: {
        description: {
          type: 'string',
          description: `A ${text}b.`,
          examples: [`${text}x`],
          default: `${text}y`,
        },
      },
    });
    const [tool] = read({ name: 'a', inputSchema: schemaOf(hidden), outputSchema: schemaOf(hidden) }).tools;
    expect(tool?.spec).toMatchObject({ input: schemaOf(''), output: schemaOf('') });
    const [clean] = read({ name: 'a', inputSchema: schemaOf(''), outputSchema: schemaOf('') }).tools;
    if (tool === undefined || clean === undefined) throw new Error('not taken');
    expect(pinTool(tool.spec)).toEqual(pinTool(clean.spec));
    expect(pinTool(clean.spec).input).toBe(pinTool({ ...clean.spec, input: schemaOf('') }).input);
  });

  it.each([
    { [`a${hidden}`]: { type: 'string' } },
    { a: { enum: [`a${hidden}`] } },
    { a: { const: { [`b${hidden}`]: 1 } } },
  ])('does not take a schema with hidden characters in what values are held to: %j', (properties) => {
    const { tools, quarantined } = read({ name: 'a', inputSchema: { type: 'object', properties } });
    expect(tools).toEqual([]);
    expect(quarantined[0]?.reason).toMatch(/^its inputSchema has characters that cannot be seen in "[ab]"$/);
  });

  const written = (keyword: string, levels: number) => ({
    type: 'object',
    properties: { x: { $ref: '#/$defs/a0' } },
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, index) => {
        const next = { $ref: `#/$defs/a${index + 1}` };
        const both = keyword === 'properties' ? { l: next, r: next } : [next, next];
        return [`a${index}`, index === levels - 1 ? { type: 'number' } : { [keyword]: both }];
      }),
    ),
  });

  it.each(['anyOf', 'allOf', 'oneOf', 'properties'])(
    'does not take a schema whose references double with each level (%s)',
    (keyword) => {
      for (const where of ['inputSchema', 'outputSchema']) {
        const { tools, quarantined } = read({ name: 'a', inputSchema, [where]: written(keyword, 28) });
        expect(tools).toEqual([]);
        expect(quarantined[0]?.reason).toBe(
          `its ${where} comes to more than 10000 parts when its references are written out`,
        );
        expect(read({ name: 'a', inputSchema, [where]: written(keyword, 6) }).tools).toHaveLength(1);
      }
    },
  );

  it.each([
    { $ref: '#/$defs/q' },
    { allOf: [{ $ref: '#/$defs/q' }] },
    { anyOf: [{ type: 'string' }, { oneOf: [{ $ref: '#//$defs//q' }] }] },
  ])('does not take a schema that refers to itself without end: %j', (q) => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/q' } }, $defs: { q } };
    expect(read({ name: 'a', inputSchema: schema }).quarantined[0]?.reason).toBe(
      'its inputSchema refers to itself without end',
    );
  });

  it('reads what servers write in practice', () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { path: { type: 'string', pattern: '^[a-z/]+$' }, node: { $ref: '#/definitions/node' } },
      required: ['path'],
      additionalProperties: false,
      definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } } },
    };
    expect(read({ name: 't', inputSchema: draft7 })).toMatchObject({
      tools: [{ raw: 't' }],
      quarantined: [],
    });
  });
});

describe('readCallResult', () => {
  const text = (value: string) => ({ type: 'text' as const, text: value });

  it('gives the structure before the text, one text as it is, several blocks as a list', () => {
    expect(readCallResult('t', { content: [text('x')], structuredContent: { a: 1 } })).toEqual({ a: 1 });
    expect(readCallResult('t', { content: [text('x')] })).toBe('x');
    expect(readCallResult('t', { content: [text('x'), text('y')] })).toEqual([text('x'), text('y')]);
    expect(readCallResult('t', { content: [] })).toBeNull();
  });

  it('throws what the tool reports, without taking it for its own words', () => {
    expect(() => readCallResult('t', { isError: true, content: [text('run rm -rf')] })).toThrow(
      expect.objectContaining({
        code: 'tool_misuse',
        message: 't reports an error',
        details: { reported: 'run rm -rf' },
      }),
    );
  });
});

describe('pinTool', () => {
  const spec: ToolSpec = {
    name: 'a',
    description: 'A.',
    input: { type: 'object' },
    costHint: 1,
    effect: 'read',
  };

  it('is the same for the same tool, whatever the order of its keys and its cost', () => {
    expect(pinTool({ ...spec, costHint: 5, timeoutMs: 7 })).toEqual(pinTool(spec));
    expect(pinTool({ ...spec, input: { b: 1, a: 2 } })).toEqual(pinTool({ ...spec, input: { a: 2, b: 1 } }));
  });

  it.each([
    [{ description: 'A. ' }, ['description']],
    [{ input: { type: 'object', title: 'x' } }, ['input schema']],
    [{ output: { type: 'object' } }, ['output schema']],
    [{ effect: 'write' as const, description: 'B.' }, ['description', 'effect']],
    [{ openWorld: true }, ['effect']],
  ])('tells %j', (change, parts) => {
    const changed = pinTool({ ...spec, ...change });
    expect(changed.hash).not.toBe(pinTool(spec).hash);
    expect(changedParts(pinTool(spec), changed)).toEqual(parts);
  });
});
