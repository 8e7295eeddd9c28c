import { describe, expect, it } from 'vitest';
import type { PlanProblem } from '../../../src/contracts/plan.ts';
import { schemaIssues } from '../../../src/contracts/schema.ts';
import { readSection } from '../../../src/contracts/section.ts';
import { type PlanRequestContext, planRequest } from '../../../src/planner/plan-request.ts';
import { node, plan, TOOLS } from '../dag/plan-helpers.ts';

const CONTEXT: PlanRequestContext = {
  goal: 'Compare </goal> cities',
  inputs: { cities: ['Lima'] },
  tools: [...TOOLS.values()],
  limits: { maxNodes: 10, foreachItems: 5, toolCalls: 7 },
  rounds: [],
};
const PROBLEM: PlanProblem = {
  code: 'unknown_tool',
  node: 'a',
  pointer: '/nodes/0/tool',
  message: 'no such tool',
};

describe('the first request', () => {
  it('holds the sections that a planner reads', () => {
    const request = planRequest(CONTEXT);
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(readSection(request, 'goal')).toBe(CONTEXT.goal);
    expect(readSection(request, 'inputs')).toEqual(CONTEXT.inputs);
    expect(readSection(request, 'limits')).toEqual(CONTEXT.limits);
    const catalogue = readSection(request, 'catalogue') as { name: string }[];
    expect(catalogue.map(({ name }) => name)).toEqual([...TOOLS.keys()]);
    expect(catalogue[0]).toEqual({
      name: 'add',
      description: 'add',
      input: TOOLS.get('add')?.input,
      output: { type: 'number' },
      costHint: 1,
      effect: 'read',
    });
    expect(catalogue.at(-1)).not.toHaveProperty('output');
    expect(readSection(request, 'problems')).toBeUndefined();
  });

  it('begins the same for every goal', () => {
    const other = planRequest({ ...CONTEXT, goal: 'other', inputs: {} });
    const [first, second] = [planRequest(CONTEXT), other].map(({ messages }) =>
      messages.map(({ content }) => JSON.stringify(content)),
    );
    expect(first?.[0]).toBe(second?.[0]);
    const common = first?.[1]?.indexOf('<goal>');
    expect(common).toBeGreaterThan(0);
    expect(second?.[1]?.slice(0, common)).toBe(first?.[1]?.slice(0, common));
  });

  it("asks for the catalogue's tools alone", () => {
    const { schema } = planRequest(CONTEXT).format;
    const answer = (name: string) => ({
      nodes: [{ id: 'a', tool: name, args: { x: { $ref: 'b' } } }],
      output: 'a',
    });
    expect(schemaIssues(schema, answer('add'))).toEqual([]);
    expect(schemaIssues(schema, answer('ad'))).toHaveLength(1);
    expect(schemaIssues(schema, { ...answer('add'), extra: 1 })).toHaveLength(1);
    expect(schemaIssues(planRequest({ ...CONTEXT, tools: [] }).format.schema, answer('any'))).toEqual([]);
  });
});

describe('after refused answers', () => {
  it('sends each back with its problems, the last of which a reader finds', () => {
    const second = { ...PROBLEM, code: 'cycle' as const };
    const request = planRequest({
      ...CONTEXT,
      rounds: [
        { answer: 'one', problems: [PROBLEM] },
        { answer: '', problems: [second] },
      ],
    });
    expect(request.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(request.messages[2]?.content).toBe('one');
    expect(request.messages[4]?.content).not.toBe('');
    expect(readSection(request, 'problems')).toEqual([second]);
    expect(readSection(request, 'goal')).toBe(CONTEXT.goal);
  });

  it('cuts long answers and long lists of problems, and says so', () => {
    const rounds = [{ answer: 'x'.repeat(20_000), problems: Array.from({ length: 70 }, () => PROBLEM) }];
    const request = planRequest({ ...CONTEXT, rounds });
    expect(request.messages[2]?.content.length).toBe(8000);
    expect(request.messages[2]?.content).toContain('[cut: ');
    expect(readSection(request, 'problems')).toHaveLength(50);
    expect(request.messages[3]?.content).toContain('(20 more)');
  });
});

it('a replan tells the plan before, what is done, what failed and what the reviewer said', () => {
  const failure = {
    node: 'x',
    tool: 'find',
    args: {},
    code: 'missing_info',
    class: 'MISSING_INFO',
    details: { city: 'Atlantis' },
  };
  const request = planRequest({
    ...CONTEXT,
    replan: {
      plan: plan('x', node('p'), node('x', ['p'], { optional: true })),
      done: [{ id: 'p', tool: 'anything' }],
      failures: [failure],
      issues: ['No population.'],
    },
  });
  expect(request.messages[0]?.content).not.toBe(planRequest(CONTEXT).messages[0]?.content);
  expect(readSection(request, 'plan')).toEqual([
    { id: 'p', tool: 'anything', args: {}, deps: [] },
    { id: 'x', tool: 'anything', args: {}, deps: ['p'] },
  ]);
  expect(readSection(request, 'done')).toEqual([{ id: 'p', tool: 'anything' }]);
  expect(readSection(request, 'failures')).toEqual([failure]);
  expect(readSection(request, 'issues')).toEqual(['No population.']);
});
