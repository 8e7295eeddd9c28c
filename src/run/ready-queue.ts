import type { NodeState } from './node-state.ts';

/**
 * Nodes that may start: larger priority first, then plan order, then item order. A level comes in this order and is
 * taken from a list; what comes out of it (an eager walk, a retry) goes through a binary heap.
 */
export class ReadyQueue {
  #list: NodeState[] = [];
  #head = 0;
  readonly #heap: NodeState[] = [];

  get size(): number {
    return this.#list.length - this.#head + this.#heap.length;
  }

  /** The node to start next, left in its place. */
  peek(): NodeState | undefined {
    const listed = this.#list[this.#head];
    const heaped = this.#heap[0];
    if (listed === undefined) return heaped;
    return heaped !== undefined && isBefore(heaped, listed) ? heaped : listed;
  }

  push(node: NodeState): void {
    const last = this.#list.at(-1);
    if (last === undefined || isBefore(last, node)) this.#list.push(node);
    else this.#pushHeap(node);
  }

  /** Removes and returns the node to start next. */
  pop(): NodeState | undefined {
    const listed = this.#list[this.#head];
    const heaped = this.#heap[0];
    if (listed === undefined || (heaped !== undefined && isBefore(heaped, listed))) return this.#popHeap();
    this.#head++;
    if (this.#head === this.#list.length) {
      this.#list = [];
      this.#head = 0;
    }
    return listed;
  }

  clear(): void {
    this.#list = [];
    this.#head = 0;
    this.#heap.length = 0;
  }

  #pushHeap(node: NodeState): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(node);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as NodeState;
      if (!isBefore(node, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = node;
  }

  #popHeap(): NodeState | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && isBefore(heap[right] as NodeState, heap[child] as NodeState)) child = right;
      const below = heap[child] as NodeState;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: NodeState, b: NodeState): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.index !== b.index ? a.index < b.index : a.itemIndex < b.itemIndex;
}
