import { isDeepStrictEqual } from 'node:util';
import type { Json, MockKit } from 'sortie';
import {
  type CatalogueTool,
  drawPlan,
  type FailedNode,
  has,
  listIn,
  type PlannedNode,
  rememberedFailures,
} from './draw-plan.ts';
import { describe, factsIn, statementsOf } from './report.ts';

/** The plan without what cannot be found; what is done stays. The same plan again would fail again, so it is not given. */
export function redrawPlan(kit: MockKit): string {
  const previous = (listIn(kit, 'plan') as readonly PlannedNode[]).map(({ id, tool, args }) => ({
    id,
    tool,
    args,
  }));
  const done = (listIn(kit, 'done') as readonly { readonly id: string }[]).map(({ id }) => id);
  const failures = [...(listIn(kit, 'failures') as readonly FailedNode[]), ...rememberedFailures(kit)];
  const text = drawPlan(kit, failures, previous, done);
  if (!text.startsWith('{')) return text;
  const { nodes } = JSON.parse(text) as { nodes: PlannedNode[] };
  return isDeepStrictEqual(nodes, previous)
    ? 'I know of no other plan for this goal with these tools.'
    : text;
}

/** What was found before the run ended, and what was not. */
export function writePartialReport(kit: MockKit): string {
  const results = listIn(kit, 'results') as readonly { readonly value?: Json }[];
  const facts = factsIn(results.map(({ value }) => value));
  const keys = [...new Set(facts.flatMap((fact) => statementsOf(fact).map(([key]) => key)))];
  const missing = listIn(kit, 'missing') as readonly { readonly node: string; readonly state: string }[];
  return [
    '# Partial report',
    facts.length === 0 ? 'Nothing was found before the run ended.' : 'What was found before the run ended.',
    ...[...new Set(facts.map(({ requested }) => requested))].map(
      (city) => `## ${city}\n\n${describe(city, facts, keys)}`,
    ),
    ...(missing.length > 0
      ? [`Not obtained: ${missing.map(({ node, state }) => `${node} (${state})`).join(', ')}.`]
      : []),
  ].join('\n\n');
}

/** The arguments without keys that the tool does not know; a list of one where a text is wanted becomes that text. */
export function repairArgs(kit: MockKit): Readonly<Record<string, Json>> {
  const tool = kit.section('tool') as unknown as CatalogueTool | undefined;
  const args = kit.section('args');
  if (tool === undefined || typeof args !== 'object' || args === null || Array.isArray(args)) return {};
  const repaired = Object.entries(args as Readonly<Record<string, Json>>)
    .filter(([key]) => has(tool, key))
    .map(([key, value]): [string, Json] => {
      const { type } = (tool.input.properties?.[key] ?? {}) as { readonly type?: unknown };
      if (type === 'string' && Array.isArray(value) && value.length === 1) return [key, String(value[0])];
      return [key, type === 'array' && !Array.isArray(value) ? [value] : value];
    });
  return Object.fromEntries(repaired);
}
