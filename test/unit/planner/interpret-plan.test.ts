import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PlanProblem } from '../../../src/contracts/plan.ts';
import type { ToolSpec } from '../../../src/contracts/tool.ts';
import { interpretPlan } from '../../../src/planner/interpret-plan.ts';

interface Case {
  readonly name: string;
  readonly text: string;
  readonly problems: readonly string[];
  readonly warnings?: readonly string[];
  readonly nodes?: number;
  readonly withheld?: readonly string[];
  readonly limits?: { readonly maxNodes: number };
  readonly budget?: { readonly toolCalls: number };
}

function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/plans/${name}.json`, import.meta.url), 'utf8'));
}

const CASES = readFixture('plans') as readonly Case[];
const TOOLS = new Map(
  (readFixture('tools') as readonly Partial<ToolSpec>[]).map((spec) => {
    const complete = { description: '', costHint: 1, effect: 'read', ...spec } as ToolSpec;
    return [complete.name, complete];
  }),
);

function interpret({
  text,
  withheld = [],
  limits,
  budget,
}: Pick<Case, 'text' | 'withheld' | 'limits' | 'budget'>) {
  return interpretPlan(text, {
    tools: TOOLS,
    withheld: new Set(withheld),
    limits: { maxNodes: 1000, foreachItems: 100, ...limits },
    ...(budget === undefined ? {} : { remainingToolCalls: budget.toolCalls }),
  });
}

function caseOf(name: string): Case {
  const found = CASES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

function problemsOf(name: string): readonly PlanProblem[] {
  const result = interpret(caseOf(name));
  return result.ok ? [] : result.problems;
}

describe('the cases', () => {
  it.each(CASES)('$name', (each) => {
    const result = interpret(each);
    expect((result.ok ? [] : result.problems).map(({ code }) => code).toSorted()).toEqual(
      each.problems.toSorted(),
    );
    expect(result.warnings.map(({ code }) => code)).toEqual(each.warnings ?? []);
    expect(result.ok ? result.plan.nodes.length : undefined).toBe(each.nodes);
  });

  it.each<[string, string, keyof PlanProblem, RegExp]>([
    ['everything wrong at once', 'cycle', 'message', /: A → B → A$/],
    ['everything wrong at once', 'unknown_tool', 'pointer', /^\/nodes\/2\/tool$/],
    ['everything wrong at once', 'unknown_tool', 'hint', /^Did you mean "search"\?$/],
    ['long cycle', 'cycle', 'message', /: n0 → n1 → .* → n39 → n0$/],
    ['reference to a field that the tool does not return', 'bad_reference', 'hint', /\/population/],
    ['field of a foreach node', 'bad_reference', 'hint', /^Did you mean "\/0\/title"\?$/],
    ['unknown key on a node', 'invalid_shape', 'hint', /^Did you mean "deps"\?$/],
    ['withheld tool', 'withheld_tool', 'message', /policy/],
  ])('%s: the %s has the right %s', (name, code, field, expected) => {
    expect(problemsOf(name).find((problem) => problem.code === code)?.[field]).toMatch(expected);
  });
});

it('reports other nodes beside one that has a key twice', () => {
  const text = `{"nodes": [
    {"id": "a", "tool": "add", "args": {"a": 1, "a": "x", "b": 2}},
    {"id": "b", "tool": "add", "args": {"a": 1}}], "output": "b"}`;
  const result = interpret({ text });
  expect((result.ok ? [] : result.problems).map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
    'invalid_shape /nodes/0/args/a',
    'invalid_args /nodes/1/args/b',
  ]);
});

it('takes the meaning of no key that stands twice in the plan itself', () => {
  const text = '{"output": "a", "nodes": [{"id": "a", "tool": "nope", "args": {}}], "output": "b"}';
  const result = interpret({ text });
  expect((result.ok ? [] : result.problems).map(({ pointer }) => pointer)).toEqual(['/output']);
});
