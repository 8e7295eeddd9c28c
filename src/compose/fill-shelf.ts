import type { FlightEvent } from '../flight/events.ts';
import type { RunShelf } from '../tools/builtin/run-shelf.ts';
import type { FollowingMemory } from './run-memory.ts';

/**
 * Lends a run's memory to its built-in tools, and takes up what they share from the events before: the list of steps is
 * what the last call of its tool has returned.
 */
export function fillShelf(
  shelf: RunShelf,
  memory: FollowingMemory | null,
  before: readonly FlightEvent[],
): void {
  shelf.memory = memory?.tools ?? null;
  const lists = new Set<string>();
  for (const event of before) {
    if (event.type === 'plan.accepted') {
      for (const { id, tool } of event.plan.nodes) if (tool === 'todo') lists.add(id);
    } else if (event.type === 'node.done' && lists.has(event.node.replace(/\[\d+\]$/, ''))) {
      shelf.todos.restore(event.value);
    }
  }
}
