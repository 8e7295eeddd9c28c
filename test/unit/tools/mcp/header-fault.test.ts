import { describe, expect, it } from 'vitest';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import type { JsonObject } from '../../../../src/kernel/json.ts';
import { headerFault } from '../../../../src/tools/mcp/header-fault.ts';
import { readToolList } from '../../../../src/tools/mcp/read-tool-list.ts';

const mark = (name: unknown, more: object = { type: 'string' }) => ({ ...more, 'x-mcp-header': name });
const withProperties = (properties: object, more: object = {}): JsonObject =>
  ({ type: 'object', properties, ...more }) as JsonObject;

describe('headerFault', () => {
  it.each<[what: string, schema: JsonObject]>([
    ['no header at all', withProperties({ a: { type: 'string' } })],
    ['a text', withProperties({ a: mark('Region') })],
    [
      'an integer and a boolean',
      withProperties({ a: mark('A', { type: 'integer' }), b: mark('B', { type: 'boolean' }) }),
    ],
    ['a parameter within another', withProperties({ a: withProperties({ b: mark('Region') }) })],
    ['a parameter of that name', withProperties({ 'x-mcp-header': { type: 'string' } })],
    [
      'data that looks like it',
      withProperties({ a: { type: 'object', default: mark(1) } }, { examples: [mark(1)] }),
    ],
  ])('is null of %s', (_, schema) => {
    expect(headerFault(schema)).toBeNull();
  });

  it.each<[what: string, schema: JsonObject, fault: RegExp]>([
    ['an empty name', withProperties({ a: mark('') }), /is none/],
    ['a name that is no text', withProperties({ a: mark(1) }), /is none/],
    ['a name with a space', withProperties({ a: mark('My Region') }), /is none/],
    ['a name with a colon', withProperties({ a: mark('Region:x') }), /is none/],
    ['a name with a line break', withProperties({ a: mark('A\r\nHost: evil') }), /is none/],
    ['a name beyond ASCII', withProperties({ a: mark('Größe') }), /is none/],
    ['a number', withProperties({ a: mark('A', { type: 'number' }) }), /no text, integer or boolean/],
    ['an object', withProperties({ a: mark('A', { type: 'object' }) }), /no text, integer or boolean/],
    [
      'several types',
      withProperties({ a: mark('A', { type: ['string', 'null'] }) }),
      /no text, integer or boolean/,
    ],
    ['no type', withProperties({ a: mark('A', {}) }), /no text, integer or boolean/],
    ['one name twice', withProperties({ a: mark('Region'), b: mark('REGION') }), /twice/],
    ['the whole', { ...withProperties({}), 'x-mcp-header': 'A' }, /no parameter of its own/],
    ['items', withProperties({ a: { type: 'array', items: mark('A') } }), /no parameter of its own/],
    ['one of several', withProperties({ a: { anyOf: [mark('A')] } }), /no parameter of its own/],
    ['a definition', withProperties({}, { $defs: { a: mark('A') } }), /no parameter of its own/],
    ['a pattern', withProperties({}, { patternProperties: { a: mark('A') } }), /no parameter of its own/],
    ['a condition', withProperties({}, { if: withProperties({ a: mark('A') }) }), /no parameter of its own/],
  ])('says what is wrong with %s', (_, schema, fault) => {
    expect(headerFault(schema)).toMatch(fault);
  });
});

it('a tool with such a header is quarantined over HTTP alone, and the rest stay', () => {
  const { http, stdio } = mcpSchema.parse({
    http: { url: 'https://x.example/mcp' },
    stdio: { command: 'x' },
  });
  if (http === undefined || stdio === undefined) throw new Error('no settings');
  const listed = [
    { name: 'bad', inputSchema: withProperties({ a: mark('') }) },
    { name: 'good', inputSchema: withProperties({ a: mark('Region') }) },
  ];
  expect(readToolList('s', http, listed)).toMatchObject({
    tools: [{ raw: 'good' }],
    quarantined: [{ tool: 's__bad', reason: 'its inputSchema names a header that is none: "\\"\\""' }],
  });
  expect(readToolList('s', stdio, listed).tools).toHaveLength(2);
});
