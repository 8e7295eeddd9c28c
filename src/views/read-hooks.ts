import type { EventOf } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeReading } from './run-reading.ts';

/** Reads that a node waits for hooks; the work of an agent goes on as it was. */
export function askHooks(node: NodeReading, event: EventOf<'hooks.requested'>): void {
  if (event.when === 'before' || node.status === 'done') node.status = 'hooking';
}

/** Reads what hooks say: the node goes on, is blocked, or has its result, be that another one. */
export function hearHooks(node: NodeReading, event: EventOf<'node.hooked'>): void {
  if (event.when === 'before') {
    node.status = event.failure === undefined ? 'ready' : 'failing';
    node.failure = event.failure ?? null;
  } else if (node.status === 'hooking') {
    finishDone(node, event.value ?? node.value ?? null);
    node.status = 'done';
  }
}

/** Reads the result of a node. */
export function finishDone(node: NodeReading, value: Json): void {
  node.failure = null;
  node.value = value;
}

/** Reads that the process ended while a node was at work. */
export function loseNode(node: NodeReading): void {
  const isUndone = node.status === 'hooking' && node.value === undefined;
  if (node.status === 'running' || isUndone) node.status = 'pending';
}
