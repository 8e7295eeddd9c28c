import { taskSchema } from '../contracts/task.ts';
import type { EventOf } from '../flight/events.ts';
import { purposeOf } from './effect-key.ts';
import { startRepair } from './evolve-node.ts';
import type { Recall } from './recall-state.ts';
import type { RunState } from './state.ts';

/** Folds the start of a recall; a node whose repair it is for waits for that. */
export function requestRecall(state: RunState, event: EventOf<'memory.requested'>): void {
  const { key, call, budgetChars } = event;
  const ordinal = (state.memory.recalls.get(call)?.ordinal ?? 0) + 1;
  state.memory.recalls.set(call, { key, budgetChars, ordinal, isUnderWay: true, text: '' });
  if (purposeOf(call) === 'repair') startRepair(state, event);
}

/** Folds what was recalled; the call that it was for may have gone. */
export function noteRecalled(state: RunState, event: EventOf<'memory.recalled'>): void {
  const { memory } = state;
  memory.timeoutsInRow = event.timedOut === true ? memory.timeoutsInRow + 1 : 0;
  if (event.overflow !== undefined) memory.overflow = event.overflow;
  const recall = findRecall(state, event.key);
  if (recall === undefined) return;
  recall.isUnderWay = false;
  recall.text = event.text;
}

function findRecall(state: RunState, key: string): Recall | undefined {
  for (const recall of state.memory.recalls.values()) if (recall.key === key) return recall;
  return undefined;
}

/** Folds that another process goes on: what it does not know is recalled again. */
export function resumeMemory(state: RunState, isOn: boolean): void {
  const { memory, task } = state;
  memory.isOn = isOn;
  memory.timeoutsInRow = 0;
  // A log may be older than some of these settings.
  if (isOn) state.task = { ...task, memory: taskSchema.shape.memory.parse(task.memory) };
  for (const [call, recall] of memory.recalls) if (recall.isUnderWay) memory.recalls.delete(call);
}
