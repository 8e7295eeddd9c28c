import type { ToolSpec } from '../../contracts/tool.ts';
import type { EventOf, FlightEvent } from '../../flight/events.ts';
import { readRun } from '../read-run.ts';
import type { RunReading } from '../run-reading.ts';
import { type RunSummary, summarizeRun } from '../summary.ts';
import { OpenQuestions } from './open-questions.ts';
import { buildPlanGraph, type PlanGraphModel } from './plan-graph.ts';
import { type PressureCurve, PressureWatch } from './pressure-curve.ts';
import { readClock, type RunClock } from './run-clock.ts';
import { countStates, shownState, type StateCounts } from './shown-state.ts';
import { type StepLatency, stepLatencies } from './step-latency.ts';
import { buildWaterfall, type Waterfall } from './waterfall.ts';

/** Everything that the page shows of a run. */
export interface PageModel {
  readonly reading: RunReading;
  readonly summary: RunSummary;
  readonly clock: RunClock;
  readonly waterfall: Waterfall;
  readonly graph: PlanGraphModel;
  readonly pressure: PressureCurve;
  readonly steps: readonly StepLatency[];
  /** How many nodes are in each state; items count by themselves and their foreach nodes do not. */
  readonly states: StateCounts;
  readonly tools: ReadonlyMap<string, ToolSpec>;
  /** Questions to a person that are open, oldest first. */
  readonly questions: readonly EventOf<'approval.requested'>[];
}

/** Reads a run as the page shows it; `nowMs` (epoch) is given where the run goes on, `isLeft` where nobody runs it. */
export function buildPageModel(events: readonly FlightEvent[], nowMs?: number, isLeft = false): PageModel {
  const watch = new PressureWatch();
  const tools = new Map<string, ToolSpec>();
  const questions = new OpenQuestions();
  const watchEvent = (current: RunReading, event: FlightEvent): void => {
    watch.watch(current, event);
    if (event.type === 'catalogue.published') {
      for (const tool of event.tools) tools.set(tool.name, tool);
    }
    questions.read(event);
  };
  const reading = readRun(events, watchEvent, isLeft);
  const waterfall = buildWaterfall(reading);
  const isOpen = reading.status === 'running' || (reading.status === 'waiting' && questions.size > 0);
  return {
    reading,
    summary: summarizeRun(reading),
    clock: readClock(events, isOpen ? nowMs : undefined),
    waterfall,
    graph: buildPlanGraph(reading, waterfall),
    pressure: watch.curve(reading),
    steps: stepLatencies(waterfall),
    states: countStates(shownStates(reading)),
    tools,
    questions: questions.all,
  };
}

function* shownStates({ nodes }: RunReading): Generator<ReturnType<typeof shownState>> {
  for (const { status, items } of nodes.values()) if (items.length === 0) yield shownState(status);
}
