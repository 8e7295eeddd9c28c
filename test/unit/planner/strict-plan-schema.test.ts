import { describe, expect, it } from 'vitest';
import { schemaIssues } from '../../../src/contracts/schema.ts';
import type { ToolSpec } from '../../../src/contracts/tool.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/kernel/json.ts';
import { planRequest, type PlanRequestContext } from '../../../src/planner/plan-request.ts';
import { type StrictPlan, strictPlanSchema } from '../../../src/planner/strict-plan-schema.ts';
import { node, plan, tool } from '../dag/plan-helpers.ts';

const CITY = { type: 'string', minLength: 1 };
const closed = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const ANY_LIST = { type: 'array', items: {} };

const lookUp = tool('look_up', closed({ city: CITY }), closed({ population: { type: 'integer' } }));
const sumUp = tool('sum_up', closed({ city: CITY, facts: ANY_LIST }), closed({ summary: CITY }));
const report = tool('report', closed({ title: CITY, facts: ANY_LIST }, ['facts']), { type: 'string' });
const send: ToolSpec = {
  ...tool('send', closed({ to: CITY, body: { type: 'string' } })),
  effect: 'irreversible',
};

function schemaOf(strict: Partial<StrictPlan> = {}): JsonObject {
  const schema = strictPlanSchema({
    ...{ tools: [lookUp, sumUp, report], inputs: { cities: ['Lima', 'Paris'] } },
    ...{ maxNodes: 3, taken: [], done: [] },
    ...strict,
  });
  if (!isJsonObject(schema)) throw new Error('no schema');
  return schema;
}

function isAdmitted(document: Json, strict: Partial<StrictPlan> = {}): boolean {
  return schemaIssues(schemaOf(strict), document).length === 0;
}

const refs = (...ids: string[]) => ids.map((id) => ({ $ref: id }));
const look = (id: string, city = 'Lima') => ({ id, tool: 'look_up', args: { city } });
const write = (id: string, ...earlier: string[]) => ({
  id,
  tool: 'report',
  args: { facts: refs(...earlier) },
});

describe('a strict plan schema', () => {
  it('admits plans whose last node takes in all the others', () => {
    expect(isAdmitted({ output: 'n2', nodes: [look('n1'), write('n2', 'n1')] })).toBe(true);
    expect(
      isAdmitted({ output: 'n3', nodes: [look('n1'), look('n2', 'Paris'), write('n3', 'n1', 'n2')] }),
    ).toBe(true);
    const summary = { id: 'n2', tool: 'sum_up', args: { city: 'Lima', facts: refs('n1') } };
    expect(isAdmitted({ output: 'n3', nodes: [look('n1'), summary, write('n3', 'n1', 'n2')] })).toBe(true);
  });

  it.each<[string, Json]>([
    ['another id', { output: 'n2', nodes: [look('first'), write('n2', 'first')] }],
    [
      'a node that the last does not take in',
      { output: 'n3', nodes: [look('n1'), look('n2'), write('n3', 'n1')] },
    ],
    [
      'a report in the middle',
      { output: 'n3', nodes: [look('n1'), write('n2', 'n1'), write('n3', 'n1', 'n2')] },
    ],
    ['a look-up at the end', { output: 'n2', nodes: [look('n1'), look('n2')] }],
    ['nothing but a report', { output: 'n1', nodes: [write('n1')] }],
    ['another output', { output: 'n1', nodes: [look('n1'), write('n2', 'n1')] }],
    [
      'a text that is none of the inputs',
      { output: 'n2', nodes: [look('n1', 'Atlantis'), write('n2', 'n1')] },
    ],
    [
      'a reference to a node behind',
      {
        output: 'n3',
        nodes: [
          look('n1'),
          { id: 'n2', tool: 'sum_up', args: { city: 'Lima', facts: refs('n3') } },
          write('n3', 'n1', 'n2'),
        ],
      },
    ],
    [
      'an argument that can be left out',
      {
        output: 'n2',
        nodes: [look('n1'), { id: 'n2', tool: 'report', args: { title: 'Lima', facts: refs('n1') } }],
      },
    ],
    [
      'more nodes',
      { output: 'n4', nodes: [look('n1'), look('n2'), look('n3'), write('n4', 'n1', 'n2', 'n3')] },
    ],
  ])('refuses %s', (_, document) => {
    expect(isAdmitted(document)).toBe(false);
  });

  it('says how many nodes there are before it says which', () => {
    const [first] = schemaOf()['anyOf'] as readonly JsonObject[];
    expect(Object.keys(first?.['properties'] as JsonObject)).toEqual(['output', 'nodes']);
  });

  it('is of one size where that is laid down', () => {
    const three = { nodes: 3, maxNodes: 12 };
    expect(schemaOf(three)).not.toHaveProperty('anyOf');
    expect(isAdmitted({ output: 'n2', nodes: [look('n1'), write('n2', 'n1')] }, three)).toBe(false);
    expect(
      isAdmitted({ output: 'n3', nodes: [look('n1'), look('n2'), write('n3', 'n1', 'n2')] }, three),
    ).toBe(true);
  });

  it('lets the model write texts where the inputs hold none', () => {
    const free = { inputs: { year: 2026 } };
    expect(isAdmitted({ output: 'n2', nodes: [look('n1', 'Osaka'), write('n2', 'n1')] }, free)).toBe(true);
    const long = look('n1', 'x'.repeat(81));
    expect(isAdmitted({ output: 'n2', nodes: [long, write('n2', 'n1')] }, free)).toBe(false);
  });

  it('has the last node wait for all others where no tool takes a list of results', () => {
    const tools = [lookUp, send];
    const mail = { id: 'n2', tool: 'send', args: { to: 'Lima', body: 'Lima' } };
    const strict = { tools, nodes: 2 };
    expect(isAdmitted({ output: 'n2', nodes: [look('n1'), { ...mail, deps: ['n1'] }] }, strict)).toBe(true);
    expect(isAdmitted({ output: 'n2', nodes: [look('n1'), { ...mail, deps: [] }] }, strict)).toBe(false);
    expect(isAdmitted({ output: 'n2', nodes: [look('n1'), mail] }, strict)).toBe(false);
  });

  it('offers a reference for a value that some tool may give', () => {
    const fetch = tool('fetch', closed({ url: CITY }), { type: 'string' });
    const shout = tool('shout', closed({ text: { type: 'string' } }), { type: 'string' });
    const strict = { tools: [fetch, shout], nodes: 2, inputs: { url: 'http://a/' } };
    const nodes = (text: Json) => [
      { id: 'n1', tool: 'fetch', args: { url: 'http://a/' } },
      { id: 'n2', tool: 'shout', args: { text }, deps: ['n1'] },
    ];
    expect(isAdmitted({ output: 'n2', nodes: nodes({ $ref: 'n1' }) }, strict)).toBe(true);
    expect(isAdmitted({ output: 'n2', nodes: nodes({ $ref: 'n2' }) }, strict)).toBe(false);
    // A look-up gives an object, which is no text.
    const other = {
      ...strict,
      tools: [
        { ...lookUp, input: fetch.input, name: 'fetch' },
        { ...shout, output: lookUp.output ?? true },
      ],
    };
    expect(isAdmitted({ output: 'n2', nodes: nodes({ $ref: 'n1' }) }, other)).toBe(false);
  });
});

describe('the request of a planner that is led', () => {
  const context: PlanRequestContext = {
    goal: 'Compare cities',
    inputs: { cities: ['Lima'] },
    tools: [lookUp, report],
    limits: { maxNodes: 1000, foreachItems: 5 },
    rounds: [],
    strict: {},
  };
  const sizes = (more: Partial<PlanRequestContext>) => {
    const { schema } = planRequest({ ...context, ...more }).format;
    const plans = (schema as JsonObject)['anyOf'] as readonly JsonObject[] | undefined;
    return (plans ?? [schema as JsonObject]).map(
      (one) => ((one['properties'] as JsonObject)['output'] as JsonObject)['const'],
    );
  };

  it('is bounded by what a model is led through, the limits and the calls that are left', () => {
    expect(sizes({})).toEqual(['n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11', 'n12']);
    expect(sizes({ limits: { maxNodes: 3, foreachItems: 5 } })).toEqual(['n2', 'n3']);
    expect(sizes({ limits: { maxNodes: 1000, foreachItems: 5, toolCalls: 2 } })).toEqual(['n2']);
    expect(sizes({ strict: { nodes: 7 } })).toEqual(['n7']);
    expect(sizes({ strict: { nodes: 7 }, limits: { maxNodes: 4, foreachItems: 5 } })).toEqual(['n4']);
  });

  it('goes on behind the ids of the plan before, and refers to what is done', () => {
    const replan = {
      plan: plan('n2', node('n1', [], { tool: 'look_up' }), node('n2', ['n1'], { tool: 'report' })),
      done: [{ id: 'n1', tool: 'look_up' }],
      failures: [],
    };
    const limits = { maxNodes: 2, foreachItems: 5 };
    expect(sizes({ replan, limits, strict: { nodes: 2 } })).toEqual(['n3', 'n4']);
    const { schema } = planRequest({ ...context, replan, limits }).format;
    expect(schemaIssues(schema, { output: 'n3', nodes: [write('n3', 'n1')] })).toEqual([]);
    expect(schemaIssues(schema, { output: 'n3', nodes: [write('n3', 'n2')] })).not.toEqual([]);
  });
});
