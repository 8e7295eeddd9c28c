import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import {
  finalizeRequest,
  interpretFinal,
  listPartial,
  type PartialRun,
} from '../../../src/worker/finalize.ts';

const run: PartialRun = {
  goal: 'Compare Paris and Lima',
  results: [
    { node: 'pop_paris', tool: 'get_population', value: { population: 5 } },
    { node: 'sum_paris', tool: 'summarize_city', value: 'Paris is large.\n\n# It has ``` in it' },
  ],
  missing: [{ node: 'report', tool: 'aggregate_report', state: 'refused' }],
};

const usage = { inputTokens: 1, outputTokens: 1 };

describe('finalizeRequest', () => {
  it('carries the goal, the results and what is missing', () => {
    const request = finalizeRequest({ ...run, contextChars: 4000 });
    for (const name of ['goal', 'results', 'missing'] as const) {
      expect(readSection(request, name)).toEqual(run[name]);
    }
  });

  it('keeps room for what is missing beside large results', () => {
    const results = [{ node: 'a', tool: 't', value: 'x'.repeat(9000) }];
    const request = finalizeRequest({ ...run, results, contextChars: 600 });
    expect(readSection(request, 'missing')).toEqual(run.missing);
    expect(readSection(request, 'results')).toEqual([
      { node: 'a', tool: 't', value: expect.stringMatching(/^x{200,}… \[cut: \d+ characters\]$/) as string },
    ]);
  });

  it('asks for the goal alone where there is no context at all', () => {
    const request = finalizeRequest({ ...run, contextChars: 0 });
    expect(readSection(request, 'goal')).toBe(run.goal);
    expect(readSection(request, 'results')).toBeUndefined();
  });
});

describe('interpretFinal', () => {
  it('takes a whole report only', () => {
    expect(interpretFinal({ text: ' # Partial\n', stop: 'stop', usage, model: 'm' })).toBe('# Partial');
    expect(interpretFinal({ text: '# Parti', stop: 'length', usage, model: 'm' })).toBeNull();
    expect(interpretFinal({ text: '\n', stop: 'stop', usage, model: 'm' })).toBeNull();
  });
});

describe('listPartial', () => {
  it('lists every result and what is missing', () => {
    expect(listPartial(run)).toMatchInlineSnapshot(`
      "# Partial result

      The run stopped before it reached its goal.

      > Compare Paris and Lima

      ## Found

      ### \`pop_paris\` (\`get_population\`)

      \`\`\`json
      {
        "population": 5
      }
      \`\`\`

      ### \`sum_paris\` (\`summarize_city\`)

      > Paris is large.
      >
      > # It has \`\`\` in it

      ## Missing

      - \`report\` (\`aggregate_report\`): refused
      "
    `);
  });

  it('says so where nothing was found', () => {
    expect(listPartial({ goal: 'g', results: [], missing: [] })).toMatch(/## Found\n\nNothing\.\n/);
  });

  it('stays readable whatever a run holds', () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({
      node: `n${index}`,
      tool: 't',
      state: 'skipped',
    }));
    const text = listPartial({
      goal: 'g',
      results: [
        { node: 'big', tool: 't', value: 'x'.repeat(50_000) },
        { node: 'fence\n`', tool: 't', value: ['```'] },
      ],
      missing: many,
    });
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain('… and 4800 more, which the log holds.');
    expect(text).toContain("### `fence''` (`t`)\n\n````json\n");
  });
});
