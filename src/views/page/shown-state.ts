import type { NodeStatus } from '../../run/node-state.ts';

/** A state as the page shows it: the ones that people know; the others are steps within them. */
export type ShownState =
  | 'pending'
  | 'running'
  | 'retrying'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'refused'
  | 'skipped'
  | 'cancelled'
  | 'superseded';

/** The sign of each state, so that no state is told by its colour alone; in the order of legends. */
export const STATE_SIGNS: Readonly<Record<ShownState, string>> = {
  done: '✓',
  running: '▸',
  retrying: '↻',
  waiting: '‖',
  failed: '✕',
  refused: '⊘',
  cancelled: '■',
  skipped: '−',
  superseded: '~',
  pending: '○',
};

/** The states in the order of legends. */
export const SHOWN_STATES = Object.keys(STATE_SIGNS) as readonly ShownState[];

/** The state that people know a status as. */
export function shownState(status: NodeStatus): ShownState {
  switch (status) {
    case 'ready':
    case 'hooking':
      return 'pending';
    case 'expanded':
      return 'running';
    case 'failing':
    case 'repairing':
      return 'retrying';
    case 'pending':
    case 'running':
    case 'retrying':
    case 'waiting':
    case 'done':
    case 'failed':
    case 'refused':
    case 'skipped':
    case 'cancelled':
    case 'superseded':
      return status;
  }
}

/** How many there are of each state; states without any are left out. */
export type StateCounts = Partial<Record<ShownState, number>>;

/** Counts states. */
export function countStates(states: Iterable<ShownState>): StateCounts {
  const counts: StateCounts = {};
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
