import type { Amounts } from '../../budget/ledger.ts';
import { measurePressure } from '../../budget/pressure.ts';
import type { BudgetMode } from '../../contracts/budget.ts';
import type { FlightEvent } from '../../flight/events.ts';
import type { RunReading } from '../run-reading.ts';
import { describeStop } from '../why-causes.ts';

/** How pressed each dimension was at a moment, as parts of its limit. */
export interface PressurePoint {
  /** Milliseconds of real time since the run began. */
  readonly ms: number;
  readonly shares: readonly number[];
}

/** Something that was decided because of the budget. */
export interface BudgetDecision {
  readonly ms: number;
  readonly seq: number;
  readonly pressure: number;
  readonly text: string;
  readonly mode: BudgetMode | null;
}

/** The pressure of a run over its time, in the dimensions that have a limit. */
export interface PressureCurve {
  readonly dimensions: readonly (keyof Amounts)[];
  readonly points: readonly PressurePoint[];
  readonly decisions: readonly BudgetDecision[];
  readonly economyAt: number;
  readonly minimalAt: number;
}

const AMOUNTS: readonly (keyof Amounts)[] = ['tokens', 'llmCalls', 'toolCalls', 'wallMs', 'costMicroUsd'];

/** Kept apart, so that a run of many thousand nodes has no more points than a screen has columns. */
const MOST_POINTS = 600;

/** Collects the pressure of a run while its log is read: `watch` is called after each event. */
export class PressureWatch {
  readonly #points: { ms: number; pressure: number; values: number[] }[] = [];
  readonly #decisions: BudgetDecision[] = [];

  watch(reading: RunReading, event: FlightEvent): void {
    const { settled, limits } = reading.ledger;
    const ms = event.at - (reading.events[0]?.at ?? event.at);
    const { pressure } = measurePressure(reading.ledger);
    const values = AMOUNTS.map((amount) => shareOf(settled[amount], limits[amount]));
    this.#points.push({ ms, pressure, values });
    const text = describeDecision(event);
    if (text === null) return;
    const mode = event.type === 'pressure.changed' ? event.mode : null;
    this.#decisions.push({ ms, seq: event.seq, pressure, text, mode });
  }

  curve(reading: RunReading): PressureCurve {
    const { limits } = reading.ledger;
    const limited = AMOUNTS.flatMap((amount, index) => (limits[amount] === Infinity ? [] : [index]));
    const { economyAt, minimalAt } = reading.started.task.budget;
    return {
      dimensions: limited.map((index) => AMOUNTS[index] as keyof Amounts),
      points: thinOut(this.#points).map(({ ms, values }) => ({
        ms,
        shares: limited.map((index) => values[index] ?? 0),
      })),
      decisions: this.#decisions,
      economyAt,
      minimalAt,
    };
  }
}

function shareOf(used: number, limit: number): number {
  if (limit === Infinity) return 0;
  return limit === 0 ? 1 : used / limit;
}

/** What was decided because of the budget; null for any other event. */
function describeDecision(event: FlightEvent): string | null {
  if (event.type === 'node.skipped' && event.reason === 'pressure') {
    return `${event.node} was skipped: it is optional`;
  }
  if (event.type === 'node.refused' && event.by !== 'budget') return null;
  const isBudget =
    event.type === 'pressure.changed' ||
    event.type === 'budget.overrun' ||
    event.type === 'model.refused' ||
    event.type === 'node.refused';
  return isBudget ? describeStop(event) : null;
}

/** Of the points that fall together on a screen the last one, and the first and the last of all. */
function thinOut<P extends { readonly ms: number }>(points: readonly P[]): readonly P[] {
  if (points.length <= MOST_POINTS) return points;
  const step = points.length / MOST_POINTS;
  const kept: P[] = [];
  for (let index = 0; index < MOST_POINTS; index++) {
    const point = points[Math.floor(index * step)];
    if (point !== undefined) kept.push(point);
  }
  const last = points.at(-1);
  if (last !== undefined && kept.at(-1) !== last) kept.push(last);
  return kept;
}
