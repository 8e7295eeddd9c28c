import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import { mcpToolName, serverOfName } from '../../../../src/tools/mcp/tool-name.ts';

const isServerName = (name: string): boolean => mcpSchema.safeParse({ [name]: { command: 'x' } }).success;
const servers = fc.constantFrom('a', 'b', 'a-b', 'a_b', 'A', 'files', 'x'.repeat(24));
const tools = fc.oneof(
  fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
  fc.stringMatching(/^[a-z_-]{1,80}$/),
  fc.stringMatching(/^[ab_]{0,3}_[0-9a-f]{12}$/),
);

describe('mcpToolName', () => {
  it('keeps names that may stand as they are', () => {
    expect(mcpToolName('files', 'read_file')).toBe('files__read_file');
    expect(mcpToolName('everything', 'get-sum')).toBe('everything__get-sum');
  });

  it('gives every tool a name that providers take, of its own, which tells its server', () => {
    const pair = fc.tuple(servers, tools);
    fc.assert(
      fc.property(pair, pair, (first, second) => {
        const [one, two] = [mcpToolName(...first), mcpToolName(...second)];
        expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(serverOfName(one, [first[0], second[0]])).toBe(first[0]);
        expect(one === two).toBe(first[0] === second[0] && first[1] === second[1]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is not fooled by a name that looks like a shortened one', () => {
    const shortened = mcpToolName('a', 'x'.repeat(100));
    expect(mcpToolName('a', shortened.slice('a__'.length))).not.toBe(shortened);
  });
});

describe('names of servers', () => {
  it.each(['files', 'my-server', 'my_server', 'A1'])('%s is one', (name) => {
    expect(isServerName(name)).toBe(true);
  });

  it.each(['', 'a__b', 'a_', '_a', '-a', 'a b', 'ä', 'a.b', 'x'.repeat(25)])('%j is none', (name) => {
    expect(isServerName(name)).toBe(false);
  });
});
