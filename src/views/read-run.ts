import { costMicroUsd } from '../budget/prices.ts';
import { createLedger, releaseToolCall, reserve, settle } from '../budget/ledger.ts';
import type { Reservation } from '../contracts/budget.ts';
import type { Usage } from '../contracts/model.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { Task } from '../contracts/task.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { AgentBooks } from './agent-books.ts';
import { AgentNodes } from './agent-nodes.ts';
import { attemptKey } from '../run/effect-key.ts';
import type {
  AttemptReading,
  CallReading,
  NodeReading,
  Outcome,
  RunReading,
  RunSource,
} from './run-reading.ts';
import { askHooks, finishDone, hearHooks, loseNode } from './read-hooks.ts';
import { STATUS_AFTER } from './status-after.ts';

const ONE_TOOL_CALL = { toolCalls: 1 };
const PERHAPS_CHARGED: ReadonlySet<string> = new Set(['timeout', 'aborted']);

/**
 * Reads a log; throws `log_corrupt` where it does not begin with `run.started`. `watch` is told what was read up to
 * each event. Where nobody runs it any more (`isLeft`), what has no ending is lost.
 */
export function readRun(
  source: RunSource,
  watch?: (reading: RunReading, event: FlightEvent) => void,
  isLeft = false,
): RunReading {
  if (!isLog(source)) return source;
  const started = source[0];
  if (started?.type !== 'run.started') {
    throw started === undefined
      ? new OrchestratorError('log_corrupt', 'the run holds no event: its process died before it began', {
          hint: 'Run its task again.',
        })
      : new OrchestratorError('log_corrupt', 'the log does not begin with run.started');
  }
  const reader = new RunReader(source, started);
  for (const event of source) {
    reader.read(event);
    watch?.(reader.reading, event);
  }
  if (isLeft) reader.leave();
  return reader.reading;
}

function isLog(source: RunSource): source is readonly FlightEvent[] {
  return Array.isArray(source);
}

class RunReader {
  readonly reading: RunReading;
  readonly #prices: Task['prices'];
  readonly #openAttempts = new Map<string, AttemptReading>();
  readonly #nodeOfAttempt = new Map<string, NodeReading>();
  readonly #agentBooks = new AgentBooks();
  readonly #agentNodes = new AgentNodes();
  readonly #openCalls = new Map<string, CallReading>();
  #lastAt: number;

  constructor(events: readonly FlightEvent[], started: EventOf<'run.started'>) {
    this.#prices = started.task.prices;
    this.#lastAt = started.at;
    this.reading = {
      ...{ events, started, status: 'running', finished: null, elapsedMs: 0, resumedAtMs: [], levels: [] },
      ...{ plan: null, nodes: new Map(), calls: [], ledger: createLedger(started.task.budget) },
      ...{ mode: 'full', verdict: null, inherited: null, forkedAtMs: 0 },
    };
  }

  read(event: FlightEvent): void {
    const { reading } = this;
    if (isAfterWork(event)) reading.elapsedMs += Math.max(0, event.at - this.#lastAt);
    this.#lastAt = event.at;
    reading.ledger.settled.wallMs = reading.elapsedMs - reading.forkedAtMs;
    if ('node' in event && event.node !== undefined) {
      const node = reading.nodes.get(event.node);
      node?.events.push(event);
      if (node !== undefined) this.#readNode(node, event);
    }
    reading.nodes.get(this.#agentNodes.nodeBehind(event) ?? '')?.events.push(event);
    this.#agentBooks.read(event, reading.ledger);
    this.#readRun(event);
  }

  /** Nobody runs it: without an ending it is unfinished, and what was under way is lost. */
  leave(): void {
    if (this.reading.status !== 'running') return;
    this.#loseOpen();
    this.reading.status = 'unfinished';
  }

  #readRun(event: FlightEvent): void {
    const { reading } = this;
    if (event.type === 'plan.accepted') this.#readPlan(event);
    else if (event.type === 'level.started') {
      reading.levels.push({ level: event.level, atMs: reading.elapsedMs });
    } else if (event.type === 'model.requested') this.#startCall(event);
    else if (event.type === 'model.answered') this.#answerCall(event);
    else if (event.type === 'model.failed') this.#failCall(event);
    else if (event.type === 'retry.scheduled') {
      const node = this.#nodeOfAttempt.get(event.key);
      if (node === undefined) return;
      node.events.push(event);
      node.status = 'retrying';
    } else if (event.type === 'pressure.changed') reading.mode = event.mode;
    else if (event.type === 'verdict.reached') reading.verdict = event.verdict;
    else if (event.type === 'replan.started') reading.verdict = null;
    else if (event.type === 'run.interrupted' || event.type === 'run.resumed') {
      this.#loseOpen();
      reading.finished = null;
      reading.status = event.type === 'run.resumed' ? 'running' : 'interrupted';
      if (event.type === 'run.resumed') this.#resume(event);
    } else if (event.type === 'run.forked') this.#fork(event);
    else if (event.type === 'run.finished') {
      reading.finished = event;
      reading.status = event.status;
    }
  }

  #resume(event: EventOf<'run.resumed'>): void {
    const { reading } = this;
    this.#goOn();
    reading.resumedAtMs.push(reading.elapsedMs);
    if (event.budget === undefined) return;
    const { settled, reserved } = reading.ledger;
    reading.ledger = { ...createLedger(event.budget), settled, reserved };
    reading.mode = 'full';
    reading.started = { ...reading.started, task: { ...reading.started.task, budget: event.budget } };
  }

  /** What came before is another run's: it is shown, and its spend is kept apart. */
  #fork(event: EventOf<'run.forked'>): void {
    const { reading } = this;
    const { goal = reading.started.goal, budget = reading.started.task.budget } = event.overrides;
    this.#loseOpen();
    this.#goOn();
    reading.inherited = { origin: event.origin, ...reading.ledger.settled };
    reading.started = {
      ...reading.started,
      ...{ runId: event.runId, goal, task: { ...reading.started.task, budget } },
    };
    reading.ledger = createLedger(budget);
    reading.calls.length = 0;
    reading.finished = null;
    reading.status = 'running';
    reading.mode = 'full';
    reading.forkedAtMs = reading.elapsedMs;
  }

  #readPlan(event: EventOf<'plan.accepted'>): void {
    const { nodes } = this.reading;
    this.reading.plan = event;
    const kept = new Set(event.kept);
    for (const id of event.superseded) {
      const node = nodes.get(id);
      if (node === undefined) continue;
      node.status = 'superseded';
      node.events.push(event);
    }
    for (const plan of event.plan.nodes) {
      const node = this.#addNode(plan.id, plan, null);
      node.events.push(event);
      if (kept.has(plan.id)) continue;
      node.status = 'pending';
      node.failure = null;
      node.value = undefined;
    }
  }

  #addNode(id: string, plan: PlanNode, itemOf: string | null): NodeReading {
    const known = this.reading.nodes.get(id);
    if (known !== undefined) {
      known.plan = plan;
      return known;
    }
    const node: NodeReading = {
      ...{ id, plan, itemOf, items: [], status: 'pending', failure: null, value: undefined },
      ...{ attempts: [], events: [] },
    };
    this.reading.nodes.set(id, node);
    return node;
  }

  #readNode(node: NodeReading, event: FlightEvent): void {
    const next = STATUS_AFTER[event.type];
    if (next !== undefined) node.status = next;
    if (event.type === 'node.started') this.#startAttempt(node, event);
    else if (event.type === 'node.done') {
      this.#endAttempt(node.id, event.attempt, 'done');
      finishDone(node, event.value);
    } else if (event.type === 'attempt.failed') {
      this.#endAttempt(node.id, event.attempt, 'failed');
      node.failure = event.failure;
    } else if (event.type === 'node.cancelled') this.#endAttempt(node.id, event.attempt, 'cancelled');
    else if (event.type === 'node.reused') {
      finishDone(node, this.reading.nodes.get(event.from)?.value ?? null);
    } else if (event.type === 'node.joined') {
      const values = node.items.map((id) => this.reading.nodes.get(id)?.value ?? null);
      finishDone(node, values);
    } else if (event.type === 'node.expanded') this.#expand(node, event.items);
    else if (event.type === 'node.failed' || event.type === 'node.refused') {
      this.#endAttempt(node.id, node.attempts.length, 'failed');
      if (event.type === 'node.failed') node.failure = event.failure;
    } else if (event.type === 'node.amended' && event.by === 'hook') this.#dropAttempt(node);
    else if (event.type === 'hooks.requested') askHooks(node, event);
    else if (event.type === 'node.hooked') hearHooks(node, event);
    else if (event.type === 'approval.decided' && event.decision !== 'approved') {
      if (event.decision === 'done') finishDone(node, event.value ?? null);
      node.status = event.decision === 'done' ? 'done' : 'failing';
    }
  }

  #expand(node: NodeReading, count: number): void {
    node.items = Array.from({ length: count }, (_, index) => `${node.id}[${index}]`);
    for (const id of node.items) this.#addNode(id, node.plan, node.id).status = 'pending';
  }

  #startAttempt(node: NodeReading, event: EventOf<'node.started'>): void {
    const key = attemptKey(node.id, event.attempt);
    const attempt: AttemptReading = {
      ...{ number: event.attempt, argsHash: event.args, startMs: this.reading.elapsedMs },
      ...{ endMs: null, outcome: 'running' },
    };
    node.attempts.push(attempt);
    this.#openAttempts.set(key, attempt);
    this.#nodeOfAttempt.set(key, node);
    if (event.agent === undefined) reserve(this.reading.ledger, ONE_TOOL_CALL);
    this.#agentNodes.note(event);
  }

  /** A hook gave the call other arguments: it was not made. */
  #dropAttempt(node: NodeReading): void {
    const attempt = node.attempts.at(-1);
    if (attempt === undefined || !this.#openAttempts.delete(attemptKey(node.id, attempt.number))) return;
    node.attempts.pop();
    releaseToolCall(this.reading.ledger);
  }

  #endAttempt(node: string, number: number, outcome: Outcome): void {
    const key = attemptKey(node, number);
    const attempt = this.#openAttempts.get(key);
    if (attempt === undefined) return;
    this.#openAttempts.delete(key);
    this.#close(attempt, outcome);
    if (!this.#agentNodes.isRoot(key)) settle(this.reading.ledger, ONE_TOOL_CALL, ONE_TOOL_CALL);
  }

  #startCall(event: EventOf<'model.requested'>): void {
    const { key, role, model, reserved } = event;
    const isAsk = event.node !== undefined && role !== 'repairer';
    const call: CallReading = {
      ...{ key, role, model, isAsk, reserved, startMs: this.reading.elapsedMs, endMs: null },
      ...{ outcome: 'running', usage: null, costMicroUsd: null },
    };
    this.reading.calls.push(call);
    this.#openCalls.set(key, call);
    reserve(this.reading.ledger, reserved);
  }

  #answerCall(event: EventOf<'model.answered'>): void {
    const { usage } = event.answer;
    const call = this.#closeCall(event.key, 'done');
    if (call === null) return;
    const price = this.#prices[call.model];
    call.usage = usage;
    call.costMicroUsd = price === undefined ? null : costMicroUsd(usage, price);
    settle(this.reading.ledger, call.reserved, bookedAt(usage, call.costMicroUsd));
  }

  #failCall(event: EventOf<'model.failed'>): void {
    const call = this.#closeCall(event.key, 'failed');
    if (call === null) return;
    const { usage, failure } = event;
    const price = this.#prices[call.model];
    const unknown = PERHAPS_CHARGED.has(failure.code) ? call.reserved : { llmCalls: 1 };
    const cost = usage === undefined || price === undefined ? null : costMicroUsd(usage, price);
    settle(this.reading.ledger, call.reserved, usage === undefined ? unknown : bookedAt(usage, cost));
  }

  #closeCall(key: string, outcome: Outcome): CallReading | null {
    const call = this.#openCalls.get(key);
    if (call === undefined) return null;
    this.#openCalls.delete(key);
    this.#close(call, outcome);
    return call;
  }

  #close(timed: AttemptReading | CallReading, outcome: Outcome): void {
    timed.endMs = this.reading.elapsedMs;
    timed.outcome = outcome;
  }

  #loseOpen(): void {
    for (const [key, attempt] of this.#openAttempts) {
      // That of an agent goes on in the process after.
      if (this.#agentNodes.isRoot(key)) continue;
      this.#close(attempt, 'lost');
      settle(this.reading.ledger, ONE_TOOL_CALL, ONE_TOOL_CALL);
      this.#openAttempts.delete(key);
    }
    this.#agentBooks.lose(this.reading.ledger);
    for (const call of this.#openCalls.values()) {
      this.#close(call, 'lost');
      settle(this.reading.ledger, call.reserved, call.reserved);
    }
    this.#openCalls.clear();
    for (const node of this.reading.nodes.values()) loseNode(node);
  }

  /** Another process takes up what agents have in hand. */
  #goOn(): void {
    for (const key of this.#openAttempts.keys()) {
      const node = this.#nodeOfAttempt.get(key);
      if (node !== undefined) node.status = 'running';
    }
  }
}

/** Whether the time before an event was running time. */
function isAfterWork(event: FlightEvent): boolean {
  if (event.type === 'approval.decided' || event.type === 'node.amended') return event.atRest !== true;
  return event.type !== 'run.resumed' && event.type !== 'run.forked';
}

function bookedAt(usage: Usage, costMicroUsd: number | null): Reservation {
  return { llmCalls: 1, tokens: usage.inputTokens + usage.outputTokens, costMicroUsd: costMicroUsd ?? 0 };
}
