import type { EventOf } from '../flight/events.ts';
import type { NodeState } from './node-state.ts';

/** What was recalled for one model call, or is being recalled. */
export interface Recall {
  readonly key: string;
  readonly budgetChars: number;
  /** How often something was recalled for the call: again where its budget has become smaller. */
  readonly ordinal: number;
  isUnderWay: boolean;
  text: string;
}

/** What a run knows of its memory. */
export interface RecallState {
  /** Whether the process that runs the run has a memory. */
  isOn: boolean;
  /** By the id of the model call. */
  readonly recalls: Map<string, Recall>;
  /** How often memory took too long, without having come in time since. */
  timeoutsInRow: number;
  /** What the memory holds too much of. */
  overflow: NonNullable<EventOf<'memory.recalled'>['overflow']> | null;
  /** The nodes that were done last, the latest last. */
  readonly latest: NodeState[];
}

/** So many results stand in working memory at most. */
const LATEST_RESULTS = 5;

/** Adds a node that is done, once; the oldest gives way. */
export function noteResult({ latest }: RecallState, node: NodeState): void {
  const known = latest.indexOf(node);
  if (known >= 0) latest.splice(known, 1);
  latest.push(node);
  if (latest.length > LATEST_RESULTS) latest.shift();
}

/** A memory from which nothing was recalled. */
export function createRecallState(isOn: boolean): RecallState {
  return { isOn, recalls: new Map(), timeoutsInRow: 0, overflow: null, latest: [] };
}
