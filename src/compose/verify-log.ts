import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { readFlightFile } from '../flight/file-store.ts';
import { checkRunName } from '../flight/run-ids.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { hasEnded, isOptional, type NodeState } from '../run/node-state.ts';
import type { RunState } from '../run/state.ts';
import { openRunStore } from './stores.ts';

/** What is wrong with a log: the first event that is, by its number and the byte where its line begins, and the line. */
export interface LogFault {
  readonly seq: number;
  /** Null where it cannot be said. */
  readonly offset: number | null;
  readonly line: string | null;
  readonly problem: string;
}

/** What the verification of a log found. */
export interface LogVerification {
  readonly file: string;
  /** Events that hold. */
  readonly events: number;
  readonly fault: LogFault | null;
}

/**
 * Verifies a log, given by run or by the path of its file: the chain of its checksums, the sequence, the stored values,
 * and the invariants of a run. Throws `run_not_found`.
 */
export async function verifyLog(
  run: string,
  { runsFolder = '.orchestrate/runs' }: { readonly runsFolder?: string } = {},
): Promise<LogVerification> {
  checkRunName(run);
  const file = run.endsWith('.jsonl') ? run : await fileOf(run, runsFolder);
  try {
    const events = await readFlightFile(file);
    const broken = findBroken(events);
    if (broken === null) return { file, events: events.length, fault: null };
    return { file, events: broken.seq, fault: { ...broken, ...(await lineAt(file, broken.seq)) } };
  } catch (error) {
    if (!(error instanceof OrchestratorError) || error.code !== 'log_corrupt') throw error;
    const seq = Number(error.details['seq'] ?? 0);
    const { line, offset } = await lineAt(file, seq);
    const told = error.details['problem'];
    const problem = typeof told === 'string' ? told : error.message;
    return { file, events: seq, fault: { seq, offset, line, problem } };
  }
}

async function fileOf(run: string, runsFolder: string): Promise<string> {
  return join(runsFolder, await openRunStore(runsFolder).resolve(run), 'flight.jsonl');
}

async function lineAt(file: string, seq: number): Promise<{ offset: number | null; line: string | null }> {
  const bytes = await readFile(file);
  let offset = 0;
  for (let index = 0; index < seq; index++) {
    const end = bytes.indexOf('\n', offset);
    if (end < 0) return { offset: null, line: null };
    offset = end + 1;
  }
  const end = bytes.indexOf('\n', offset);
  return { offset, line: bytes.subarray(offset, end < 0 ? undefined : end).toString('utf8') };
}

/** The first event that breaks an invariant of a run, or null. */
export function findBroken(events: readonly FlightEvent[]): { seq: number; problem: string } | null {
  const [first, ...rest] = events;
  if (first?.type !== 'run.started') return { seq: 0, problem: 'a log begins with run.started' };
  const state = foldEvents([first]);
  for (const event of rest) {
    try {
      const problem = problemBefore(state, event);
      if (problem !== null) return { seq: event.seq, problem };
      evolve(state, event);
      const broken = problemAfter(state, event);
      if (broken !== null) return { seq: event.seq, problem: broken };
    } catch (error) {
      return { seq: event.seq, problem: error instanceof Error ? error.message : String(error) };
    }
  }
  return null;
}

/** What keeps an event from standing where it does. */
function problemBefore(state: RunState, event: FlightEvent): string | null {
  const isOver = state.finished !== null || state.isInterrupted;
  if (isOver && !mayFollowAnEnd(event)) return `${event.type} stands behind the end of the run`;
  if (event.type === 'node.started') return problemOfStart(state, event);
  if (event.type === 'node.done' || event.type === 'attempt.failed') return problemOfEnd(state, event);
  if (event.type === 'model.answered' || event.type === 'model.failed') {
    return state.runningCalls.has(event.key) ? null : `no call ${event.key} was under way`;
  }
  if (event.type === 'plan.accepted') return state.phase === 'planning' ? null : 'no plan was being drawn';
  if (event.type !== 'approval.decided' || state.questions.has(event.node)) return null;
  return `${event.node} did not wait for anybody`;
}

function mayFollowAnEnd(event: FlightEvent): boolean {
  if (event.type === 'approval.decided' || event.type === 'node.amended') return event.atRest === true;
  return event.type === 'run.resumed' || event.type === 'run.forked';
}

function problemOfStart(state: RunState, { node: id, attempt }: EventOf<'node.started'>): string | null {
  const node = state.nodes.get(id);
  if (node === undefined) return `the plan in force has no node ${id}`;
  if (node.status === 'done') return `${id} is done already`;
  if (attempt !== node.attempt + 1)
    return `${id} made ${node.attempt} attempts, and this is number ${attempt}`;
  const open = node.plan.deps.find((dependency) => !isSettled(state.nodes.get(dependency)));
  if (open !== undefined) return `${id} started before ${open} was settled`;
  if (state.running.size < state.task.concurrency) return null;
  return `${state.running.size + 1} nodes run at once, and ${state.task.concurrency} may`;
}

function isSettled(node: NodeState | undefined): boolean {
  return node !== undefined && (node.status === 'done' || (isOptional(node) && hasEnded(node)));
}

function problemOfEnd(
  state: RunState,
  event: EventOf<'node.done'> | EventOf<'attempt.failed'>,
): string | null {
  const node = state.nodes.get(event.node);
  if (node?.status !== 'running') return `no attempt of ${event.node} was under way`;
  if (node.attempt !== event.attempt) return `attempt ${node.attempt} of ${event.node} was under way`;
  return null;
}

function problemAfter(state: RunState, event: FlightEvent): string | null {
  for (const [name, amount] of Object.entries(state.ledger.reserved)) {
    if ((amount as number) < 0) return `more ${name} are given back than were reserved`;
  }
  if (event.type !== 'run.finished') return null;
  if (event.status === 'verified' || event.status === 'unverified') {
    const output = state.plan === null ? undefined : state.nodes.get(state.plan.output);
    if (output?.status !== 'done') return `it ended ${event.status}, and its output node is not done`;
  }
  if (event.status === 'waiting' || event.status === 'planned' || state.phase === 'planning') return null;
  const open = state.order.find((node) => !hasEnded(node));
  return open === undefined ? null : `the run ended, and ${open.id} has no final state`;
}
