import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import { type ToolAnnotations, toolCaution } from '../../../../src/tools/mcp/tool-caution.ts';

type Given = Omit<z.input<typeof mcpSchema>[string], 'command' | 'url'>;

const settings = (given: Given = {}) => {
  const server = mcpSchema.parse({ s: { command: 'x', ...given } })['s'];
  if (server === undefined) throw new Error('no server');
  return server;
};

const HINTS = [undefined, true, false] as const;
const ALL: ToolAnnotations[] = HINTS.flatMap((readOnlyHint) =>
  HINTS.flatMap((destructiveHint) =>
    HINTS.flatMap((idempotentHint) =>
      HINTS.map((openWorldHint) => ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint })),
    ),
  ),
);
const EFFECTS = ['read', 'write', 'irreversible'] as const;

describe('toolCaution', () => {
  it('takes a tool of which nothing is known for irreversible and open to the world', () => {
    expect(toolCaution(settings(), 't', {})).toEqual({ effect: 'irreversible', openWorld: true });
  });

  it('is never lowered by annotations that the task does not trust, whatever they say', () => {
    for (const effect of EFFECTS) {
      for (const openWorld of [true, false]) {
        for (const hints of ALL) {
          const caution = toolCaution(settings({ effect, openWorld }), 't', hints);
          expect(EFFECTS.indexOf(caution.effect)).toBeGreaterThanOrEqual(EFFECTS.indexOf(effect));
          expect(caution.openWorld === true || !openWorld).toBe(true);
          expect(caution.idempotent).toBeUndefined();
        }
      }
    }
  });

  it.each([
    ['read', { destructiveHint: true }, 'irreversible'],
    ['read', { readOnlyHint: false }, 'irreversible'],
    ['read', { readOnlyHint: false, destructiveHint: false }, 'write'],
    ['write', { destructiveHint: true }, 'irreversible'],
    ['write', { readOnlyHint: true }, 'write'],
    ['read', { readOnlyHint: true, destructiveHint: true }, 'irreversible'],
    ['read', {}, 'read'],
  ] as const)('is raised from %s by %j to %s', (effect, hints, expected) => {
    expect(toolCaution(settings({ effect }), 't', hints).effect).toBe(expected);
  });

  it('is raised by openWorldHint', () => {
    expect(toolCaution(settings({ openWorld: false }), 't', { openWorldHint: true }).openWorld).toBe(true);
    expect(toolCaution(settings({ openWorld: false }), 't', {}).openWorld).toBe(false);
  });

  it.each([
    [{ readOnlyHint: true }, { effect: 'read' }],
    [{ readOnlyHint: false }, { effect: 'irreversible' }],
    [
      { destructiveHint: false, idempotentHint: true },
      { effect: 'write', idempotent: true },
    ],
    [{ openWorldHint: false }, { openWorld: false }],
    [{}, { effect: 'irreversible', openWorld: true }],
  ] as const)('is what trusted annotations say: %j', (hints, expected) => {
    expect(toolCaution(settings({ trustAnnotations: true }), 't', hints)).toMatchObject(expected);
  });

  it('is what the task says of the tool, before all else', () => {
    const given = settings({
      tools: { t: { effect: 'read', openWorld: false, idempotent: true, argumentKinds: { path: 'path' } } },
    });
    const caution = { effect: 'read', openWorld: false, idempotent: true, argumentKinds: { path: 'path' } };
    expect(toolCaution(given, 't', { destructiveHint: true, openWorldHint: true })).toEqual(caution);
    expect(toolCaution(given, '__proto__', {}).effect).toBe('irreversible');
  });
});
