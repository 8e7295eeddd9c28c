import { isAgentEvent } from '../flight/events-of-agents.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { attemptKey } from '../run/effect-key.ts';

/** The nodes whose work agents do, by the keys of their agents. */
export class AgentNodes {
  readonly #nodes = new Map<string, string>();

  /** Notes an attempt that is handed to an agent. */
  note({ node, attempt, agent }: EventOf<'node.started'>): void {
    if (agent !== undefined) this.#nodes.set(attemptKey(node, attempt), node);
  }

  /** Whether an agent does the work of a node itself, and not as the child of the one that does. */
  isRoot(key: string): boolean {
    return this.#nodes.has(key);
  }

  /** The node whose agent, or a call of whose agent, an event is about; null where it is about none. */
  nodeBehind(event: FlightEvent): string | null {
    if (event.type === 'approval.requested' || event.type === 'approval.decided') {
      return event.call === undefined ? null : this.nodeOf(event.call);
    }
    return isAgentEvent(event) && 'agent' in event ? this.nodeOf(event.agent) : null;
  }

  /** The node that an effect of an agent, or of an agent below it, was made for; null in a session. */
  nodeOf(key: string): string | null {
    for (let owner = key; owner.includes('/'); owner = owner.slice(0, owner.lastIndexOf('/'))) {
      const node = this.#nodes.get(owner);
      if (node !== undefined) return node;
    }
    return null;
  }
}
