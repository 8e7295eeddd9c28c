import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import { policySchema } from '../../../../src/contracts/policy.ts';
import { isServerNeeded } from '../../../../src/tools/mcp/is-server-needed.ts';
import { isGranted } from '../../../../src/tools/policy.ts';
import { toolCaution } from '../../../../src/tools/mcp/tool-caution.ts';
import { mcpToolName } from '../../../../src/tools/mcp/tool-name.ts';

type Given = Omit<z.input<typeof mcpSchema>[string], 'command' | 'url'>;

const settingsOf = (given: Given = {}) => {
  const server = mcpSchema.parse({ s: { command: 'x', ...given } })['s'];
  if (server === undefined) throw new Error('no server');
  return server;
};
const isNeeded = (policy: z.input<typeof policySchema>, given: Given = {}): boolean =>
  isServerNeeded('s', settingsOf(given), policySchema.parse(policy));

describe('isServerNeeded', () => {
  it.each<[why: string, policy: z.input<typeof policySchema>, given: Given]>([
    ['nothing is said', {}, {}],
    ['some of its tools are denied, and others may be there', { deny: ['s__a', 's__b'] }, {}],
    ['one of its tools is allowed', { allow: ['x', 's__a'] }, {}],
    ['one of those that are taken is not denied', { deny: ['s__a'] }, { only: ['a', 'b'] }],
    ['its tools may have the effects that are allowed', { effects: ['irreversible'] }, { effect: 'read' }],
    ['one tool is said to be read', { effects: ['read'] }, { tools: { a: { effect: 'read' } } }],
    ['its annotations are trusted', { effects: ['read'] }, { trustAnnotations: true }],
  ])('is true where %s', (_, policy, given) => {
    expect(isNeeded(policy, given)).toBe(true);
  });

  it.each<[why: string, policy: z.input<typeof policySchema>, given: Given]>([
    ['only tools of others are allowed', { allow: ['x', 't__a', 'other__s__a'] }, {}],
    ['no tool is allowed', { allow: [] }, {}],
    ['what is allowed is denied as well', { allow: ['s__a'], deny: ['s__a'] }, {}],
    ['all that are taken are denied', { deny: ['s__a', mcpToolName('s', 'b c')] }, { only: ['a', 'b c'] }],
    ['none that is allowed is taken', { allow: ['s__a'] }, { only: ['b'] }],
    ['its tools are too dangerous', { effects: ['read', 'write'] }, {}],
    [
      'the effect of the one tool that is taken is not allowed',
      { effects: ['read'] },
      { only: ['a'], effect: 'read', tools: { a: { effect: 'write' } } },
    ],
  ])('is false where %s', (_, policy, given) => {
    expect(isNeeded(policy, given)).toBe(false);
  });

  it('never is false of a server with a tool that policy grants, whatever the server says of it', () => {
    const effects = ['read', 'write', 'irreversible'] as const;
    for (const effect of effects) {
      for (const allowed of effects) {
        for (const trustAnnotations of [true, false]) {
          for (const readOnlyHint of [true, false, undefined]) {
            for (const own of [...effects, undefined]) {
              const given = { effect, trustAnnotations, tools: { a: { effect: own } } };
              const policy = { effects: [allowed], allow: ['s__a'] };
              const caution = toolCaution(settingsOf(given), 'a', { readOnlyHint });
              if (!isGranted({ name: 's__a', ...caution }, policySchema.parse(policy))) continue;
              expect(isNeeded(policy, given)).toBe(true);
              expect(isNeeded({ effects: [allowed] }, { ...given, only: ['a'] })).toBe(true);
            }
          }
        }
      }
    }
  });
});
