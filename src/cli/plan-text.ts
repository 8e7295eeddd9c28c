import type { PlanResult } from '../index.ts';
import { renderDot, renderJson, renderMermaid } from '../views/graph.ts';
import { renderTable } from '../views/table.ts';
import type { Io } from './io.ts';
import { countOf } from './count-of.ts';
import { tableOptions } from './table-options.ts';

type DrawnPlan = Pick<Extract<PlanResult, { readonly ok: true }>, 'plan' | 'estimate'>;

/** A plan in one of the formats of `orchestrate plan`. */
export function renderPlan(drawn: DrawnPlan, format: string, io: Io): string {
  switch (format) {
    case 'json':
      return renderJson(drawn.plan);
    case 'mermaid':
      return renderMermaid(drawn.plan);
    case 'dot':
      return renderDot(drawn.plan);
    default:
      return renderText(drawn, io);
  }
}

/** What a plan is expected to take, on one line. */
export function describeEstimate({
  nodes,
  levels,
  toolCalls,
  weight,
  criticalWeight,
}: DrawnPlan['estimate']): string {
  const round = (amount: number): number => Math.round(amount * 100) / 100;
  return `estimate: ${countOf(nodes, 'node')} in ${countOf(levels, 'level')}, ${countOf(toolCalls, 'tool call')}, weight ${round(weight)} (longest path ${round(criticalWeight)})`;
}

function renderText({ plan, estimate }: DrawnPlan, io: Io): string {
  const columns = [
    { title: 'node' },
    { title: 'tool' },
    { title: 'args', giveWay: 1, minWidth: 16 },
    { title: 'after', giveWay: 2, minWidth: 8 },
    { title: '' },
  ];
  const rows = plan.nodes.map(({ id, tool, args, deps, foreach, optional }) => [
    id,
    tool,
    Object.keys(args).length === 0 ? '' : JSON.stringify(args),
    deps.join(', '),
    [
      ...(id === plan.output ? ['output'] : []),
      ...(optional === true ? ['optional'] : []),
      ...(foreach === undefined ? [] : [`for each of ${foreach.$ref}`]),
    ].join(', '),
  ]);
  return [...renderTable(columns, rows, tableOptions(io)), '', describeEstimate(estimate)].join('\n');
}
