import type { EventOf } from '../flight/events.ts';
import { attemptKey } from '../run/effect-key.ts';

/** The nodes whose work agents do, by the keys of their agents. */
export class AgentNodes {
  readonly #nodes = new Map<string, string>();

  /** Notes an attempt that is handed to an agent. */
  note({ node, attempt, agent }: EventOf<'node.started'>): void {
    if (agent !== undefined) this.#nodes.set(attemptKey(node, attempt), node);
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
