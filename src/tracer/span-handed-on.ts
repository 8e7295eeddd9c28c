import type { EventOf, FlightEvent } from '../flight/events.ts';
import { attemptKey } from '../run/effect-key.ts';

/** The work that agents have in hand: it goes on in the process after, whose log does not say again that it began. */
export class HandedOn {
  readonly #attempts = new Map<string, EventOf<'node.started'>>();
  readonly #agents = new Map<string, EventOf<'agent.started'>>();

  /** The attempts of nodes that were handed to agents, in the order of their starts. */
  get attempts(): readonly EventOf<'node.started'>[] {
    return [...this.#attempts.values()];
  }

  /** The agents that have not ended, parents before their children. */
  get agents(): readonly EventOf<'agent.started'>[] {
    return [...this.#agents.values()];
  }

  read(event: FlightEvent): void {
    const { type } = event;
    if (type === 'node.started') {
      if (event.agent !== undefined) this.#attempts.set(event.node, event);
    } else if (type === 'agent.started') this.#agents.set(event.agent, event);
    else if (type === 'agent.finished') this.#agents.delete(event.agent);
    else if (type === 'node.done' || type === 'attempt.failed' || type === 'node.cancelled') {
      this.#end(event.node);
    } else if (type === 'node.failed' || type === 'node.refused') this.#end(event.node);
  }

  #end(node: string): void {
    const attempt = this.#attempts.get(node);
    if (attempt === undefined) return;
    this.#attempts.delete(node);
    const key = attemptKey(node, attempt.attempt);
    for (const agent of this.#agents.keys()) {
      if (agent === key || agent.startsWith(`${key}/`)) this.#agents.delete(agent);
    }
  }
}
