import type { FlightEvent } from '../../index.ts';

/** When nodes and model calls worked, in epoch milliseconds, by node id or by the key of the call. */
export class NodeTimes {
  readonly #begun = new Map<string, number>();
  readonly #lasted = new Map<string, number>();

  /** Takes up what an event says of them. */
  follow(event: FlightEvent): void {
    if (event.type === 'node.started') this.#begun.set(event.node, event.at);
    else if (event.type === 'model.requested') this.#begun.set(event.key, event.at);
    else if (event.type === 'node.done' || event.type === 'attempt.failed') this.#end(event.node, event.at);
    else if (event.type === 'node.cancelled') this.#end(event.node, event.at);
    else if (event.type === 'model.answered' || event.type === 'model.failed') this.#begun.delete(event.key);
  }

  /** How long what is under way has been so at a moment; null where it is not. */
  runningMs(name: string, now: number): number | null {
    const begun = this.#begun.get(name);
    return begun === undefined ? null : Math.max(0, now - begun);
  }

  /** How long the last attempt of a node took; null where none has ended. */
  lastedMs(node: string): number | null {
    return this.#lasted.get(node) ?? null;
  }

  #end(node: string, at: number): void {
    const begun = this.#begun.get(node);
    if (begun === undefined) return;
    this.#begun.delete(node);
    this.#lasted.set(node, at - begun);
  }
}
