import type { PlanNode } from '../../contracts/plan.ts';
import { levelsOf } from '../plan-levels.ts';
import type { RunReading } from '../run-reading.ts';
import { countStates, type ShownState, shownState, type StateCounts } from './shown-state.ts';
import type { Waterfall } from './waterfall.ts';
import { rowOfNode, type WaterfallRow } from './waterfall-rows.ts';

/** A node of the plan in force, as the graph shows it. */
export interface PlanCard {
  readonly id: string;
  readonly tool: string;
  readonly state: ShownState;
  readonly level: number;
  readonly deps: readonly string[];
  readonly isOutput: boolean;
  readonly isOptional: boolean;
  /** It lies on the chain of nodes that the end of the run waited for. */
  readonly isCritical: boolean;
  /** States of the items of a foreach node; null for any other. */
  readonly items: StateCounts | null;
  /** From its first start to its last end, in milliseconds of real time; null where it never began or goes on. */
  readonly lengthMs: number | null;
}

/** The plan in force: its nodes in plan order, and the critical path from its beginning on. */
export interface PlanGraphModel {
  readonly cards: readonly PlanCard[];
  readonly critical: readonly string[];
}

/** The graph of the plan in force; without cards where no plan was accepted. */
export function buildPlanGraph(reading: RunReading, waterfall: Waterfall): PlanGraphModel {
  const plan = reading.plan?.plan;
  if (plan === undefined) return { cards: [], critical: [] };
  const rows = new Map(waterfall.rows.map((row) => [row.id, row]));
  const rowOf = (id: string): WaterfallRow | undefined => rows.get(rowOfNode(id));
  const critical = criticalPath(plan.nodes, plan.output, (id) => endOf(rowOf(id)));
  const isCritical = new Set(critical);
  const levels = levelsOf(plan.nodes);
  const cards = plan.nodes.map((node, index): PlanCard => {
    const { id, tool, deps, optional } = node;
    const known = reading.nodes.get(id);
    const items = known?.items ?? [];
    const statesOfItems = items.map((item) => shownState(reading.nodes.get(item)?.status ?? 'pending'));
    return {
      ...{ id, tool, deps, level: levels[index] ?? 0, isOutput: plan.output === id },
      ...{ isOptional: optional === true, isCritical: isCritical.has(id), lengthMs: lengthOf(rowOf(id)) },
      state: shownState(known?.status ?? 'pending'),
      items: node.foreach === undefined ? null : countStates(statesOfItems),
    };
  });
  return { cards, critical };
}

/** From the output back, each time the dependency that ended last; where none has ended, the longest chain. */
function criticalPath(
  nodes: readonly PlanNode[],
  output: string,
  endMsOf: (id: string) => number,
): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const levels = levelsOf(nodes);
  const levelOf = new Map(nodes.map(({ id }, index) => [id, levels[index] ?? 0]));
  const path: string[] = [];
  for (let current = byId.get(output); current !== undefined;) {
    path.push(current.id);
    let next: PlanNode | undefined;
    let latest = -1;
    for (const id of current.deps) {
      const ended = endMsOf(id);
      const rank = ended >= 0 ? 1 + ended : (levelOf.get(id) ?? 0) / (nodes.length + 1);
      if (rank <= latest) continue;
      latest = rank;
      next = byId.get(id);
    }
    current = next;
  }
  return path.reverse();
}

/** When the work of a row ended; -1 where it did not. */
function endOf(row: WaterfallRow | undefined): number {
  return row?.bars.at(-1)?.endMs ?? -1;
}

function lengthOf(row: WaterfallRow | undefined): number | null {
  const worked = row?.bars.filter(({ kind }) => kind !== 'waiting') ?? [];
  const end = worked.at(-1)?.endMs;
  return worked[0] === undefined || end === undefined || end === null ? null : end - worked[0].startMs;
}
