import { createLedger } from '../budget/ledger.ts';
import type { Task } from '../contracts/task.ts';
import type { EventOf } from '../flight/events.ts';
import { renewPromises } from './crew-state.ts';
import { wakeRun } from './evolve-resume.ts';
import type { RunState } from './state.ts';

/**
 * Folds a fork: the events before are another run's. What they spent is kept apart, the ledger begins anew, and what a
 * person approved there is not approved here. `before` is the time of the event before.
 */
export function forkRun(state: RunState, event: EventOf<'run.forked'>, before: number): void {
  const { overrides } = event;
  wakeRun(state, event, before);
  state.finished = null;
  state.runId = event.runId;
  state.inherited = {
    origin: event.origin,
    settled: { ...state.ledger.settled },
    usedTokens: { ...state.usedTokens },
  };
  state.usedTokens.input = 0;
  state.usedTokens.output = 0;
  state.hasUnknownCost = false;
  state.task = changedTask(state.task, overrides);
  state.goal = overrides.goal ?? state.goal;
  state.ledger = createLedger(state.task.budget);
  renewPromises(state);
  state.cooling.clear();
  state.refreshes.clear();
  state.overrunOwed = null;
  state.stop = null;
  state.mode = 'full';
  for (const node of state.nodes.values()) node.approvedArgs = '';
  state.amendmentsOwed = [...(overrides.args ?? [])];
}

function changedTask(task: Task, overrides: EventOf<'run.forked'>['overrides']): Task {
  const { provider, prices, budget } = overrides as Partial<Pick<Task, 'provider' | 'prices' | 'budget'>>;
  return {
    ...task,
    ...(provider === undefined ? {} : { provider }),
    ...(prices === undefined ? {} : { prices }),
    ...(budget === undefined ? {} : { budget }),
  };
}
