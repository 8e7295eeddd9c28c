import type { Plan, PlanNode } from '../contracts/plan.ts';
import { planLevels } from '../dag/graph.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { NodeStatus } from '../run/node-state.ts';

type States = ReadonlyMap<string, NodeStatus>;

/** The colours of states: fill and stroke. */
const STATE_COLOURS: Partial<Record<NodeStatus, readonly [fill: string, stroke: string]>> = {
  done: ['#d9f2d9', '#2e7d32'],
  failed: ['#fbdcdc', '#c62828'],
  refused: ['#fbdcdc', '#c62828'],
  cancelled: ['#eeeeee', '#c62828'],
  skipped: ['#eeeeee', '#757575'],
  superseded: ['#eeeeee', '#bdbdbd'],
  running: ['#dcebfb', '#1565c0'],
  waiting: ['#fff4d6', '#f9a825'],
};

/** The plan that a log ended with; null where none was accepted. */
export function lastPlan(events: readonly FlightEvent[]): Plan | null {
  const accepted = events.findLast((event) => event.type === 'plan.accepted');
  return accepted?.type === 'plan.accepted' ? accepted.plan : null;
}

/** A plan as JSON text, as a planner writes it: `run --plan` takes it. */
export function renderJson(plan: Plan): string {
  const nodes = plan.nodes.map(({ id, tool, args, deps, foreach, optional }) => ({
    ...{ id, tool, args },
    ...(deps.length > 0 ? { deps } : {}),
    ...(foreach === undefined ? {} : { foreach }),
    ...(optional === undefined ? {} : { optional }),
  }));
  return JSON.stringify({ nodes, output: plan.output }, null, 2);
}

/** A plan as a Mermaid flowchart; states colour its nodes. */
export function renderMermaid(plan: Plan, states?: States): string {
  const names = nameNodes(plan);
  const lines = ['flowchart TD'];
  for (const node of plan.nodes) {
    const label = labelLines(node, states).map(escapeMermaid).join('<br/>');
    const [open, close] =
      node.foreach !== undefined ? ['[["', '"]]'] : isOutput(plan, node) ? ['(["', '"])'] : ['["', '"]'];
    lines.push(`  ${names.get(node.id) ?? ''}${open}${label}${close}`);
  }
  for (const [from, to, isOptional] of edgesOf(plan, names)) {
    lines.push(`  ${from} ${isOptional ? '-.->' : '-->'} ${to}`);
  }
  return [...lines, ...mermaidClasses(plan, names, states)].join('\n') + '\n';
}

/** A plan as a graph for Graphviz; states colour its nodes. */
export function renderDot(plan: Plan, states?: States): string {
  const names = nameNodes(plan);
  const lines = ['digraph plan {', '  node [shape=box, style="rounded,filled", fillcolor=white];'];
  for (const node of plan.nodes) {
    const label = labelLines(node, states).map(escapeDot).join('\\n');
    const colours = STATE_COLOURS[states?.get(node.id) ?? 'pending'];
    const attributes = [
      `label="${label}"`,
      ...(node.foreach === undefined ? [] : ['peripheries=2']),
      ...(isOutput(plan, node) ? ['penwidth=2'] : []),
      ...(colours === undefined ? [] : [`fillcolor="${colours[0]}"`, `color="${colours[1]}"`]),
    ];
    lines.push(`  ${names.get(node.id) ?? ''} [${attributes.join(', ')}];`);
  }
  for (const [from, to, isOptional] of edgesOf(plan, names)) {
    lines.push(`  ${from} -> ${to}${isOptional ? ' [style=dashed]' : ''};`);
  }
  // The levels of the walk stand in rows.
  for (const level of planLevels(plan)) {
    lines.push(`  { rank=same; ${level.map(({ id }) => `${names.get(id) ?? ''};`).join(' ')} }`);
  }
  return [...lines, '}'].join('\n') + '\n';
}

/** Ids may be any text, keywords of the language included; in the graph each node has a plain name. */
function nameNodes(plan: Plan): Map<string, string> {
  return new Map(plan.nodes.map(({ id }, index) => [id, `n${index}`]));
}

function labelLines(node: PlanNode, states: States | undefined): string[] {
  const state = states?.get(node.id);
  return [
    node.id,
    node.foreach === undefined ? node.tool : `${node.tool} for each of ${node.foreach.$ref}`,
    ...(node.optional === true ? ['optional'] : []),
    ...(state === undefined ? [] : [state]),
  ];
}

function isOutput(plan: Plan, node: PlanNode): boolean {
  return node.id === plan.output;
}

/** Edges from dependency to dependent; those from optional nodes do not have to hold. */
function edgesOf(plan: Plan, names: ReadonlyMap<string, string>): (readonly [string, string, boolean])[] {
  const optional = new Set(plan.nodes.filter((node) => node.optional === true).map(({ id }) => id));
  return plan.nodes.flatMap(({ id, deps }) =>
    deps.map((from) => [names.get(from) ?? '', names.get(id) ?? '', optional.has(from)] as const),
  );
}

function mermaidClasses(
  plan: Plan,
  names: ReadonlyMap<string, string>,
  states: States | undefined,
): string[] {
  if (states === undefined) return [];
  const members = new Map<NodeStatus, string[]>();
  for (const { id } of plan.nodes) {
    const state = states.get(id);
    if (state === undefined || STATE_COLOURS[state] === undefined) continue;
    const name = names.get(id) ?? '';
    const known = members.get(state);
    if (known === undefined) members.set(state, [name]);
    else known.push(name);
  }
  return [...members].flatMap(([state, nodes]) => {
    const [fill, stroke] = STATE_COLOURS[state] ?? [];
    return [
      `  classDef ${state} fill:${fill ?? ''},stroke:${stroke ?? ''}`,
      `  class ${nodes.join(',')} ${state}`,
    ];
  });
}

const CONTROL = /\p{Cc}+/gu;

function escapeMermaid(text: string): string {
  return text.replace(CONTROL, ' ').replace(/[#"&<>`\\]/g, (character) => `#${character.charCodeAt(0)};`);
}

function escapeDot(text: string): string {
  return text.replace(CONTROL, ' ').replace(/["\\]/g, '\\$&');
}
