import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import type { ToolSpec } from '../../../src/contracts/tool.ts';
import { interpretRepair, repairRequest } from '../../../src/worker/repair.ts';

const tool: ToolSpec = {
  name: 'get_population',
  description: 'Population of a city',
  input: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  costHint: 0.1,
  effect: 'read',
};

describe('repairRequest', () => {
  it('shows the tool, the arguments and the issues', () => {
    const issues = [{ pointer: '/town', message: 'unknown', unknownKeys: ['town'] }];
    const request = repairRequest({ tool, args: { town: 'Paris' }, issues });
    const { name, description, input } = tool;
    expect(readSection(request, 'tool')).toEqual({ name, description, input });
    expect(readSection(request, 'args')).toEqual({ town: 'Paris' });
    expect(readSection(request, 'issues')).toEqual([{ pointer: '/town', message: 'unknown' }]);
    expect(request.format.schema).toBe(tool.input);
  });
});

describe('interpretRepair', () => {
  it('takes arguments that meet the schema', () => {
    expect(interpretRepair('```\n{"city":"Paris"}\n```', tool)).toEqual({
      ok: true,
      args: { city: 'Paris' },
    });
  });

  it.each([
    '{"town":"Paris"}',
    '{"city":5}',
    '{"city":"Paris"}{"city":"Rome"}',
    '{"city":"Paris',
    'Paris',
    '[]',
    '',
  ])('refuses %s', (text) => {
    const repaired = interpretRepair(text, tool);
    expect(repaired.ok).toBe(false);
    expect(repaired.ok ? [] : repaired.issues).not.toEqual([]);
  });

  it.each(['[{"city":"Paris"}]', '5', 'null'])('takes no arguments but an object, not %s', (text) => {
    expect(interpretRepair(text, { ...tool, input: true }).ok).toBe(false);
  });
});
