import type { RecalledContext, RecallRequest } from '../contracts/memory.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { FollowingMemory } from './run-memory.ts';
import { RecordedToolMemory } from './tool-memory.ts';

/** What a finished run recalled, given again by the keys of its calls: its answers fit no other prompts. Keeps nothing. */
export class RecordedMemory implements FollowingMemory {
  readonly #recalled = new Map<string, EventOf<'memory.recalled'>>();

  readonly tools: RecordedToolMemory;

  constructor(events: readonly FlightEvent[]) {
    this.tools = new RecordedToolMemory(events);
    for (const event of events) if (event.type === 'memory.recalled') this.#recalled.set(event.key, event);
  }

  recall({ key }: RecallRequest): Promise<RecalledContext> {
    const recorded = this.#recalled.get(key);
    if (recorded === undefined) {
      const message = `the recorded run recalled nothing for ${key}`;
      return Promise.reject(new OrchestratorError('memory_unavailable', message));
    }
    const { text, included, similarity } = recorded;
    return Promise.resolve({
      text,
      included: included.map((memory) => ({ ...memory })),
      ...(similarity === undefined ? {} : { similarity }),
      warnings: [],
    });
  }

  follow(): void {
    // What is run again from a record is nothing new.
  }

  remember(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
