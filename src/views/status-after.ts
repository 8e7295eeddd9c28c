import type { FlightEvent } from '../flight/events.ts';
import type { NodeStatus } from '../run/node-state.ts';

/** The status that an event leaves its node in. */
export const STATUS_AFTER: Partial<Record<FlightEvent['type'], NodeStatus>> = {
  'node.started': 'running',
  'node.done': 'done',
  'node.reused': 'done',
  'node.joined': 'done',
  'node.expanded': 'expanded',
  'attempt.failed': 'failing',
  'node.amended': 'ready',
  'node.failed': 'failed',
  'node.skipped': 'skipped',
  'node.refused': 'refused',
  'node.cancelled': 'cancelled',
  'approval.requested': 'waiting',
  'approval.decided': 'ready',
};
