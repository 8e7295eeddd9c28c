import { describe, expect, it } from 'vitest';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import { readToolList } from '../../../../src/tools/mcp/read-tool-list.ts';
import { isRiskyPattern } from '../../../../src/tools/mcp/risky-pattern.ts';

describe('isRiskyPattern', () => {
  it.each([
    '^(a+)+$',
    '(a*)*',
    '(a|aa)+',
    '(.*a){10}',
    '((ab)*c)*',
    '(?:a+)+',
    '(a?)*',
    '\\1',
    '(?<n>a)\\k<n>',
    'a'.repeat(501),
    '^a*a*a*a*a*a*a*a*a*b$',
    '.*.*=',
    '\\s*\\s*x',
    '\\s+$',
    '^\\d+\\w*-$',
    '^a*b?a*$',
    '^.+/.+$',
    '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
    `^${'a?'.repeat(30)}b`,
    `^${'a{0,9}'.repeat(5)}b`,
    `${'(a|a)'.repeat(30)}b`,
    `^${'(?:|a)'.repeat(30)}b`,
    '^.*[^b]{0,60}c',
    '^a*(?!.*b)c',
    '(?=a*)b',
    '(?<=a*)b',
    `^${'('.repeat(40)}a${')'.repeat(40)}$`,
  ])('tells %s', (pattern) => {
    expect(isRiskyPattern(pattern)).toBe(true);
  });

  it.each([
    '^[a-z]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(foo|bar)$',
    '^(ab)+$',
    '[(a+)+]',
    '^https?://',
    '(\\+)+',
    'a{2,3}b*',
    '^[a-z]+-[0-9]+$',
    '^[^@\\s]+@[a-z0-9-]+\\.[a-z]{2,}$',
    '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    '^v?\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$',
    '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^(get|post|put|patch|delete)$',
    '^[^/]+/[^/]+$',
    '^projects/[^/]+/locations/[^/]+$',
    '^(?!\\s*$).+',
    '^.*\\.csv$',
    '^.{1,255}$',
    '\\.(png|jpe?g)$',
    'https?://.+',
    '\\S',
    '(',
  ])('lets %s pass', (pattern) => {
    expect(isRiskyPattern(pattern)).toBe(false);
  });
});

describe('the patterns of a schema', () => {
  const server = mcpSchema.parse({ s: { command: 'x' } })['s'];
  const readInput = (parts: object): string | undefined =>
    server === undefined
      ? 'no server'
      : readToolList('s', server, [{ name: 'x', inputSchema: { type: 'object', ...parts } }]).quarantined[0]
          ?.reason;

  it.each([[['^(a+)+$']], [[['^(a+)+$']]], [null], [7]])(
    'refuses the pattern %j, which is no text',
    (pattern) => {
      expect(readInput({ properties: { a: { type: 'string', pattern } } })).toContain(
        'a pattern that is no text',
      );
      expect(readInput({ propertyNames: { pattern } })).toContain('a pattern that is no text');
    },
  );

  it('bounds what all patterns take together, their references written out', () => {
    const slow = '^a*b?a{0,20}c$';
    const many = (count: number, part: object): object => ({
      type: 'string',
      allOf: Array(count).fill(part),
    });
    expect(readInput({ properties: { a: many(1, { pattern: slow }) } })).toBeUndefined();
    expect(readInput({ properties: { a: many(100, { pattern: slow }) } })).toContain('together');
    expect(readInput({ patternProperties: { [slow]: {} }, properties: { a: many(1, {}) } })).toBeUndefined();
    const $defs = { slow: { type: 'string', pattern: slow } };
    expect(readInput({ $defs, properties: { a: many(100, { $ref: '#/$defs/slow' }) } })).toContain(
      'together',
    );
  });

  it('takes an argument that is called pattern, and as many dates as there are fields', () => {
    expect(readInput({ properties: { pattern: { type: 'string' } }, required: ['pattern'] })).toBeUndefined();
    const date = { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}$` };
    const fields = Array.from({ length: 200 }, (_, index) => [`date${index}`, date]);
    expect(readInput({ properties: Object.fromEntries(fields) as object })).toBeUndefined();
  });
});
