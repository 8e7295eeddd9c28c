import type { EventOf, FlightEvent } from '../../flight/events.ts';

/** The questions to a person that are open while a log is read: by the node, or the call of an agent, that is asked about. */
export class OpenQuestions {
  readonly #open = new Map<string, EventOf<'approval.requested'>>();

  get size(): number {
    return this.#open.size;
  }

  /** Oldest first. */
  get all(): readonly EventOf<'approval.requested'>[] {
    return [...this.#open.values()];
  }

  read(event: FlightEvent): void {
    const { type } = event;
    if (type === 'approval.requested') this.#open.set(event.node, event);
    else if (type === 'plan.accepted') this.#open.clear();
    else if (type === 'call.refused') this.#open.delete(event.key);
    else if (type === 'approval.decided' || type === 'node.cancelled') this.#open.delete(event.node);
    else if (type === 'node.skipped' || type === 'node.refused') this.#open.delete(event.node);
  }
}
