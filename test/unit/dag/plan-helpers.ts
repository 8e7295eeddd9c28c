import type { Plan, PlanNode, PlanProblem } from '../../../src/contracts/plan.ts';
import type { JsonSchema } from '../../../src/contracts/schema.ts';
import type { ToolSpec } from '../../../src/contracts/tool.ts';
import { type Validation, type ValidationContext, validatePlan } from '../../../src/dag/validate.ts';
import type { Json } from '../../../src/kernel/json.ts';

export function tool(name: string, input: JsonSchema, output?: JsonSchema, costHint = 1): ToolSpec {
  return {
    name,
    description: name,
    input,
    costHint,
    effect: 'read',
    ...(output === undefined ? {} : { output }),
  };
}

const text = { type: 'string' };
const closed = (properties: { [key: string]: Json }, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** A small catalogue: each tool has one trait that validation looks at. */
export const TOOLS: ReadonlyMap<string, ToolSpec> = new Map(
  [
    tool('add', closed({ a: { type: 'number' }, b: { type: 'number' } }), { type: 'number' }),
    tool('find', closed({ query: text, limit: { type: 'integer', maximum: 20 } }, ['query']), {
      type: 'object',
      properties: { urls: { type: 'array', items: text }, 'a/b': text },
      required: ['urls'],
    }),
    tool('fetch', closed({ url: text }), {
      type: 'object',
      properties: { title: text, size: { type: 'integer' } },
    }),
    tool('write', closed({ sections: { type: 'array', items: text, minItems: 1 } }), text, 2),
    tool('anything', true),
  ].map((spec) => [spec.name, spec]),
);

export function validate(raw: unknown, context: Partial<ValidationContext> = {}): Validation {
  return validatePlan(raw as Json, {
    tools: TOOLS,
    withheld: new Set(),
    limits: { maxNodes: 100, foreachItems: 10 },
    ...context,
  });
}

/** A plan of nodes given as in an answer, with the last one as output. */
export function planOf(...nodes: { id: string; [key: string]: unknown }[]): unknown {
  return { nodes, output: nodes.at(-1)?.id };
}

export function problemsOf(validation: Validation): readonly PlanProblem[] {
  return validation.ok ? [] : validation.problems;
}

/** `code pointer` of every problem. */
export function summary(validation: Validation): string[] {
  return problemsOf(validation).map(({ code, pointer }) => `${code} ${pointer}`);
}

export function node(id: string, deps: string[] = [], more: Partial<PlanNode> = {}): PlanNode {
  return { id, tool: 'anything', args: {}, deps, ...more };
}

export function plan(output: string, ...nodes: PlanNode[]): Plan {
  return { nodes, output };
}
