import type { planTask } from '../compose.ts';
import { type Io, widthOf } from './io.ts';
import { createStyle } from './style.ts';
import { cutToWidth, toOneLine } from '../views/text-width.ts';

type DrawnPlan = Pick<
  Extract<Awaited<ReturnType<typeof planTask>>, { readonly ok: true }>,
  'plan' | 'estimate'
>;

/** A plan in one of the formats of `orchestrate plan`. */
export async function renderPlan(drawn: DrawnPlan, format: string, io: Io): Promise<string> {
  switch (format) {
    case 'json':
      return JSON.stringify(drawn.plan, null, 2);
    case 'mermaid':
      return (await import('../views/graph.ts')).renderMermaid(drawn.plan);
    case 'dot':
      return (await import('../views/graph.ts')).renderDot(drawn.plan);
    default:
      return renderText(drawn, io);
  }
}

function renderText({ plan, estimate }: DrawnPlan, io: Io): string {
  const style = createStyle(io.stdout, io.env);
  const columns = widthOf(io.stdout, io.env);
  const idWidth = Math.max(2, ...plan.nodes.map(({ id }) => id.length));
  const toolWidth = Math.max(4, ...plan.nodes.map(({ tool }) => tool.length));
  const nodes = plan.nodes.map(({ id, tool, args, deps, foreach, optional }) => {
    const notes = [
      ...(id === plan.output ? ['output'] : []),
      ...(optional === true ? ['optional'] : []),
      ...(foreach === undefined ? [] : [`for each of ${foreach.$ref}`]),
      ...(deps.length > 0 ? [`after ${deps.join(', ')}`] : []),
      ...(Object.keys(args).length > 0 ? [JSON.stringify(args)] : []),
    ];
    return cutToWidth(
      toOneLine(`${id.padEnd(idWidth)}  ${tool.padEnd(toolWidth)}  ${notes.join('; ')}`),
      columns,
    );
  });
  const { nodes: count, levels, toolCalls, weight, criticalWeight } = estimate;
  return [
    ...nodes,
    '',
    `${style.bold('estimate')}  ${count} nodes in ${levels} levels, ${toolCalls} tool calls, weight ${weight} (longest path ${criticalWeight})`,
  ].join('\n');
}
