import { expect } from 'vitest';
import mock from '../../examples/city-compare/mock.ts';
import * as tools from '../../examples/city-compare/tools.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import { section } from '../../src/contracts/section.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import { callTool } from '../../src/tools/call-tool.ts';
import { createToolContext } from './tool-context.ts';

interface Node {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}
/** A plan of the mock. */
export interface Plan {
  readonly nodes: Node[];
  readonly output: string;
}

/** The tools of the example. */
export const TOOLS = [
  tools.getPopulation,
  tools.getTimezone,
  tools.getLocation,
  tools.summarizeCity,
  tools.aggregateReport,
];

/** What the mock answers to these messages. */
export async function complete(role: string, messages: ModelRequest['messages']): Promise<string> {
  const request = { role, model: '', messages, maxOutputTokens: 4096 };
  const answer = await mock.complete(request, { key: 'k', signal: new AbortController().signal });
  expect(answer.usage.inputTokens).toBeGreaterThan(0);
  expect(answer.usage.outputTokens).toBeGreaterThan(0);
  return answer.text;
}

/** What the mock answers to a request of these sections. */
export const ask = (role: string, sections: Readonly<Record<string, Json>>): Promise<string> =>
  complete(role, [
    {
      role: 'user',
      content: Object.entries(sections)
        .map(([name, value]) => section(name, value))
        .join('\n\n'),
    },
  ]);

const catalogue = (available: readonly Tool[] = TOOLS): Json =>
  available.map(({ spec }) => spec) as unknown as Json;

/** The sections of a request for a plan. */
export const planSections = (cities: Json, available = TOOLS, goal = 'Compare them in one report.') => ({
  goal,
  inputs: { cities },
  catalogue: catalogue(available),
  limits: { maxNodes: 1000, foreachItems: 100 },
});

/** The mock's plan. */
export const draw = async (cities: Json, available?: Tool[], goal?: string): Promise<Plan> =>
  JSON.parse(await ask('planner', planSections(cities, available, goal))) as Plan;

/** Runs a plan by hand, the aggregator's questions answered by the mock. */
export async function run({ nodes, output }: Plan, issues: string[] = []) {
  const values = new Map<string, Json>();
  const results: { node: string; tool: string; value: Json }[] = [];
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve);
    const ref = typeof value === 'object' && value !== null ? (value as { $ref?: string }).$ref : undefined;
    return ref === undefined ? value : (values.get(ref) ?? null);
  };
  const context = createToolContext({
    ask: (role, { instructions = '', prompt }) =>
      complete(role, [
        { role: 'system', content: instructions },
        { role: 'user', content: prompt },
        ...(issues.length > 0 ? [{ role: 'user' as const, content: section('issues', issues) }] : []),
      ]),
  });
  for (const { id, tool, args } of nodes) {
    const resolved = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, resolve(value)]));
    const value = await callTool(
      TOOLS.find(({ spec }) => spec.name === tool)!,
      resolved,
      context,
    );
    values.set(id, value);
    results.push({ node: id, tool, value });
  }
  return { report: values.get(output) as string, results };
}
