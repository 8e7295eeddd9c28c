import type { EventOf, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import type { NodeState, NodeStatus } from '../run/node-state.ts';
import { RULES_VERSION } from '../run/rules.ts';
import type { RunState } from '../run/state.ts';

/** What a resumption will do, by ids of nodes (and keys of model calls that have to be made again). */
export interface ResumePreview {
  readonly runId: string;
  /** Results that stay. */
  readonly keeps: readonly string[];
  /** What was under way, or is to be tried again. */
  readonly reruns: readonly string[];
  /** Calls of which nobody knows whether they were made: a person is asked. */
  readonly inDoubt: readonly string[];
  /** Calls that wait for the consent of a person. */
  readonly waiting: readonly string[];
  /** Calls that a person denied: they are refused. */
  readonly denied: readonly string[];
  /** Nodes that have not begun. */
  readonly pending: readonly string[];
  /** A plan is still to be drawn, so that nobody knows yet what else there is. */
  readonly drawsPlan?: true;
  /** It is a session with an agent: it goes on when somebody talks. */
  readonly isSession?: true;
}

const STARTED: ReadonlySet<NodeStatus> = new Set([
  ...(['running', 'failing', 'retrying', 'repairing', 'cancelled'] as const),
]);

/** Reads off what a resumption of these events will do; calls nothing. */
export function previewOf(
  events: readonly FlightEvent[],
  resumed: Pick<EventOf<'run.resumed'>, 'budget' | 'reopen'> = {},
): ResumePreview {
  const state = foldRecorded(events);
  const before = new Map([...state.nodes].map(([id, { status }]) => [id, status]));
  const calls = [...state.runningCalls.values()].filter((call) => call.ask === null).map((call) => call.id);
  takeUp(state, resumed);
  const nodes = [...state.nodes.values()];
  const inDoubt = new Set([
    ...state.doubtful.map((node) => node.id),
    ...[...state.questions.values()].flatMap(({ node, question }) => (question === 'in_doubt' ? [node] : [])),
  ]);
  // A foreach node that has become its items is told by these.
  const isOpen = ({ status }: NodeState): boolean =>
    status !== 'done' && status !== 'waiting' && status !== 'expanded' && status !== 'hooking';
  const isDenied = ({ status, failure, hooks }: NodeState): boolean =>
    (status === 'failing' && failure?.code === 'policy_denied') ||
    (status === 'hooking' && hooks?.outcome?.ok === false);
  // A person has answered it, and hooks are still to see that.
  const isAnswered = ({ status, hooks }: NodeState): boolean =>
    status === 'hooking' && hooks?.outcome?.ok === true;
  const wasBegun = (node: NodeState): boolean => {
    const status = before.get(node.id) ?? 'pending';
    return STARTED.has(status) || (resumed.reopen === true && wasClosed(status));
  };
  const idsOf = (chosen: readonly NodeState[]): string[] => chosen.map((node) => node.id);
  return {
    runId: state.runId,
    keeps: idsOf(nodes.filter((node) => node.status === 'done' || isAnswered(node))),
    reruns: [...calls, ...idsOf(nodes.filter((node) => isOpen(node) && wasBegun(node) && !isDenied(node)))],
    inDoubt: [...inDoubt],
    waiting: idsOf(nodes.filter((node) => node.status === 'waiting' && !inDoubt.has(node.id))),
    denied: idsOf(nodes.filter(isDenied)),
    pending: idsOf(nodes.filter((node) => isPending(node) && !wasBegun(node))),
    ...(state.phase === 'planning' ? { drawsPlan: true } : {}),
    ...(state.session === null ? {} : { isSession: true }),
  };
}

/** Folds that the run is taken up, which nothing has been logged of. */
export function takeUp(state: RunState, resumed: Pick<EventOf<'run.resumed'>, 'budget' | 'reopen'>): void {
  const at = { seq: state.lastSeq + 1, at: state.now };
  evolve(state, { ...at, type: 'run.resumed', rules: RULES_VERSION, ...resumed });
}

function wasClosed(status: NodeStatus): boolean {
  return status === 'failed' || status === 'skipped' || status === 'refused';
}

function isPending({ status }: NodeState): boolean {
  return status === 'pending' || status === 'ready';
}

/** The state of a recorded run; throws `not_resumable` where its process died before the first event was safe. */
export function foldRecorded(events: readonly FlightEvent[]): RunState {
  if (events.length > 0) return foldEvents(events);
  throw new OrchestratorError('not_resumable', 'the run holds no event: its process died before it began', {
    hint: 'Run its task again.',
  });
}
