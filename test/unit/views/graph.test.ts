import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/contracts/plan.ts';
import { lastPlan, renderDot, renderJson, renderMermaid } from '../../../src/views/graph.ts';
import { cityCompare, foreachRun, replannedRun } from '../../support/flight-scenarios.ts';

const NASTY: Plan = {
  nodes: [
    { id: '__proto__', tool: 'end', args: {}, deps: [] },
    { id: 'a"]; x --> y', tool: 't\\', args: {}, deps: ['__proto__'], optional: true },
    { id: 'line\nbreak <b>', tool: '#1', args: {}, deps: ['a"]; x --> y'] },
  ],
  output: 'line\nbreak <b>',
};

describe('renderMermaid', () => {
  it('draws dependencies, foreach nodes and states', () => {
    const plan = lastPlan(foreachRun());
    expect(
      plan &&
        renderMermaid(
          plan,
          new Map([
            ['cities', 'done'],
            ['each', 'failed'],
          ]),
        ),
    ).toBe(
      [
        'flowchart TD',
        '  n0["cities<br/>list_cities<br/>done"]',
        '  n1[["each<br/>get_population for each of cities<br/>failed"]]',
        '  n0 --> n1',
        '  classDef done fill:#d9f2d9,stroke:#2e7d32',
        '  class n0 done',
        '  classDef failed fill:#fbdcdc,stroke:#c62828',
        '  class n1 failed',
        '',
      ].join('\n'),
    );
  });

  it('lets no id break out of its label', () => {
    expect(renderMermaid(NASTY).split('\n')).toEqual([
      'flowchart TD',
      '  n0["__proto__<br/>end"]',
      '  n1["a#34;]; x --#62; y<br/>t#92;<br/>optional"]',
      '  n2(["line break #60;b#62;<br/>#35;1"])',
      '  n0 --> n1',
      '  n1 -.-> n2',
      '',
    ]);
  });
});

describe('renderDot', () => {
  it('draws a plan, and lets no id break out of its label', () => {
    expect(renderDot(NASTY, new Map([['__proto__', 'done']])).split('\n')).toEqual([
      'digraph plan {',
      '  node [shape=box, style="rounded,filled", fillcolor=white];',
      '  n0 [label="__proto__\\nend\\ndone", fillcolor="#d9f2d9", color="#2e7d32"];',
      '  n1 [label="a\\"]; x --> y\\nt\\\\\\noptional"];',
      '  n2 [label="line break <b>\\n#1", penwidth=2];',
      '  n0 -> n1;',
      '  n1 -> n2 [style=dashed];',
      '  { rank=same; n0; }',
      '  { rank=same; n1; }',
      '  { rank=same; n2; }',
      '}',
      '',
    ]);
  });
});

describe('renderJson', () => {
  it('is a plan as a planner writes it', () => {
    const plan = lastPlan(foreachRun());
    const text = plan === null ? '' : renderJson(plan);
    expect(JSON.parse(text)).toEqual({
      nodes: [
        { id: 'cities', tool: 'list_cities', args: {} },
        {
          ...{ id: 'each', tool: 'get_population', args: { city: { $item: '' } }, deps: ['cities'] },
          foreach: { $ref: 'cities' },
        },
      ],
      output: 'each',
    });
  });
});

describe('lastPlan', () => {
  it('is the plan that a run ended with', () => {
    expect(lastPlan(replannedRun())?.nodes.map(({ id }) => id)).toEqual(['paris', 'report']);
    expect(lastPlan(cityCompare().slice(0, 2))).toBeNull();
  });
});
