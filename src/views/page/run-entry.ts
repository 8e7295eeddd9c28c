import type { FlightEvent } from '../../flight/events.ts';
import { readRun } from '../read-run.ts';
import type { RunReading } from '../run-reading.ts';
import { summarizeRun } from '../summary.ts';
import type { RunListEntry } from './page-data.ts';

/** What a list shows of one run; throws `log_corrupt` where its log does not begin with `run.started`. */
export function describeRunEntry(events: readonly FlightEvent[], isLeft: boolean): RunListEntry {
  const questions = new Set<string>();
  const watch = (_: RunReading, event: FlightEvent): void => {
    if (event.type === 'approval.requested') questions.add(event.node);
    else if (event.type === 'approval.decided') questions.delete(event.node);
  };
  const reading = readRun(events, watch, isLeft);
  const { runId, name, goal, status, startedAtMs, elapsedMs, costMicroUsd, pressure, nodes } =
    summarizeRun(reading);
  return {
    ...{ runId, name, goal, status, startedAtMs, elapsedMs, costMicroUsd, pressure },
    questions: questions.size,
    nodes: [...nodes.values()].reduce((sum, count) => sum + count, 0),
    nodesDone: nodes.get('done') ?? 0,
  };
}

/** What a list shows of a run whose log cannot be read. */
export function describeDamaged(runId: string, problem: string): RunListEntry {
  return {
    ...{ runId, name: problem, goal: '', status: 'damaged', startedAtMs: null, elapsedMs: 0 },
    ...{ costMicroUsd: null, pressure: 0, questions: 0, nodes: 0, nodesDone: 0 },
  };
}
