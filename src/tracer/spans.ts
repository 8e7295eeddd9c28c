/*
 * A run's log read as a tree of spans. The run is an `invoke_agent` span; below it stand one `plan` span for each time
 * that a plan was drawn, one `execute_tool` span for each attempt of a node, and one span for each round of the critic.
 * Model calls are `chat` spans below what they were made for; they alone carry usage.
 *
 * Decisions are events of the span that they concern: of the `plan` span for plans, of the run for all else. Times are
 * those of the log. The same log gives the same trace, ids included.
 */
import type { Failure } from '../contracts/failure.ts';
import type { AskRequest } from '../contracts/model.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { attemptKey } from '../run/effect-key.ts';
import { answerAttributes, attemptAttributes, requestAttributes, runAttributes } from './span-attributes.ts';
import { outputContent, textOf } from './span-content.ts';
import { toSpanNote } from './span-events.ts';
import { parseTraceparent, traceIdOf } from './span-ids.ts';
import { type SpanDraft, SpanRecorder } from './span-recorder.ts';
import type { Span } from './span.ts';
import { ATTRIBUTE, OPERATION, SEMCONV_VALUE } from './semconv.ts';

/** What a trace is to hold. */
export interface SpanOptions {
  /** Whether goal, arguments, results, questions, answers and messages of failures are put on the spans. */
  readonly captureContent?: boolean;
}

/** The spans of a run in the order of their starts, the root first; none for a log without `run.started`. */
export function buildSpans(events: readonly FlightEvent[], options: SpanOptions = {}): Span[] {
  const started = events[0];
  if (started?.type !== 'run.started') return [];
  // What a fork took over stands in its own trace too, under ids of its own.
  const forked = events.findLast((event) => event.type === 'run.forked');
  const named = forked === undefined ? started : { ...started, runId: forked.runId };
  const reader = new TraceReader(named, options.captureContent ?? false);
  for (const event of events) reader.read(event);
  return reader.finish();
}

interface Question {
  /** Key of the attempt that asks. */
  readonly asker: string;
  readonly request: AskRequest;
}

const CANCELLED: Failure = { code: 'aborted', class: 'PERMANENT', message: 'cancelled with the run' };

const FAILED_STATUSES: ReadonlySet<EventOf<'run.finished'>['status']> = new Set([
  'failed',
  'rejected',
  'indeterminate',
  'budget',
]);

class TraceReader {
  readonly #recorder: SpanRecorder;
  readonly #captureContent: boolean;
  readonly #root: SpanDraft;
  readonly #nodes = new Map<string, PlanNode>();
  readonly #questions = new Map<string, Question>();
  readonly #calls = new Map<string, SpanDraft>();
  readonly #attempts = new Map<string, SpanDraft>();
  readonly #lastAttempt = new Map<string, SpanDraft>();
  readonly #results = new Map<string, Json>();
  #planning: SpanDraft | null = null;
  #criticism: SpanDraft | null = null;
  #planningCount = 0;
  #criticismCount = 0;
  #ending: EventOf<'run.finished'> | EventOf<'run.interrupted'> | null = null;
  #nowMs: number;

  constructor(started: EventOf<'run.started'>, captureContent: boolean) {
    const { runId, traceparent } = started;
    const remote = traceparent === undefined ? null : parseTraceparent(traceparent);
    this.#recorder = new SpanRecorder(runId, traceIdOf(runId, traceparent), remote?.spanId, captureContent);
    this.#captureContent = captureContent;
    this.#nowMs = started.at;
    this.#root = this.#recorder.start({
      ...{ key: 'run', parent: null, kind: 'internal', atMs: started.at },
      name: `${OPERATION.invokeAgent} ${started.task.name}`,
      attributes: runAttributes(started, captureContent),
    });
  }

  read(event: FlightEvent): void {
    const beforeMs = this.#nowMs;
    // A resumed run may come from a machine whose clock is behind; spans never run backwards.
    this.#nowMs = Math.max(beforeMs, event.at);
    this.#open(event, beforeMs);
    this.#note(event);
    this.#close(event);
  }

  finish(): Span[] {
    this.#completeRoot();
    return this.#recorder.finish(this.#nowMs);
  }

  #open(event: FlightEvent, beforeMs: number): void {
    if (event.type === 'model.requested') this.#openCall(event);
    else if (event.type === 'node.started') this.#openAttempt(event);
    else if (event.type === 'replan.started') this.#openPlanning();
    else if (event.type === 'check.called') this.#openCriticism();
    else if (event.type === 'node.expanded') this.#addItems(event);
    else if (event.type === 'ask.received') {
      const asker = attemptKey(event.node, event.attempt);
      this.#questions.set(event.key, { asker, request: event.request });
    } else if (event.type === 'run.resumed' || event.type === 'run.forked') {
      this.#loseOpen(beforeMs);
      this.#ending = null;
    }
  }

  #note(event: FlightEvent): void {
    const note = toSpanNote(event, this.#captureContent);
    if (note === null) return;
    const { name, attributes, isMinor } = note;
    this.#recorder.addEvent(this.#noteTarget(event), { name, atMs: this.#nowMs, attributes }, isMinor);
  }

  #noteTarget(event: FlightEvent): SpanDraft {
    if (event.type === 'plan.accepted' || event.type === 'plan.rejected') return this.#planning ?? this.#root;
    if (event.type === 'tool.logged') return this.#running(this.#lastAttempt.get(event.node));
    if (event.type === 'ask.failed') {
      const question = this.#questionOf(event.key);
      return this.#running(question && this.#attempts.get(question.asker));
    }
    return this.#root;
  }

  #running(draft: SpanDraft | undefined): SpanDraft {
    return draft?.endMs === null ? draft : this.#root;
  }

  #close(event: FlightEvent): void {
    if (event.type === 'model.answered') {
      const call = this.#closeCall(event.key);
      if (call !== null) Object.assign(call.attributes, answerAttributes(event.answer, this.#captureContent));
    } else if (event.type === 'model.failed') this.#closeCall(event.key, event.failure);
    else if (event.type === 'node.done') this.#closeAttempt(event, undefined, event.value);
    else if (event.type === 'attempt.failed') this.#closeAttempt(event, event.failure);
    else if (event.type === 'node.cancelled') this.#closeAttempt(event, CANCELLED);
    else if (event.type === 'plan.accepted') {
      for (const node of event.plan.nodes) this.#nodes.set(node.id, node);
      this.#closePhases();
    } else if (event.type === 'verdict.reached') this.#closePhases();
    else if (event.type === 'run.interrupted' || event.type === 'run.finished') {
      if (event.type === 'run.finished') this.#closePhases(event.failure);
      this.#loseOpen(this.#nowMs);
      this.#ending = event;
    }
  }

  #openCall(event: EventOf<'model.requested'>): void {
    const question = this.#questionOf(event.key);
    const parent =
      question === undefined
        ? this.#parentOfRole(event.role)
        : this.#running(this.#attempts.get(question.asker));
    const call = this.#recorder.start({
      ...{ key: event.key, parent, kind: 'client', atMs: this.#nowMs },
      name: event.model === '' ? OPERATION.chat : `${OPERATION.chat} ${event.model}`,
      attributes: requestAttributes(event, question?.request, this.#captureContent),
      links: this.#repairLinks(event),
    });
    this.#calls.set(event.key, call);
  }

  #parentOfRole(role: string): SpanDraft {
    if (role === 'planner' || role === 'replanner') return this.#openPlanning();
    if (role === 'critic') return this.#openCriticism();
    return this.#root;
  }

  /** The question that a call answers; a call that is made again has a number after its key. */
  #questionOf(key: string): Question | undefined {
    return this.#questions.get(key) ?? this.#questions.get(key.replace(/#\d+$/, ''));
  }

  #repairLinks(event: EventOf<'model.requested'>) {
    if (event.role !== 'repairer' || event.node === undefined) return [];
    const repaired = this.#lastAttempt.get(event.node);
    return repaired === undefined ? [] : [this.#recorder.linkTo(repaired, SEMCONV_VALUE.linkRepairs)];
  }

  #closeCall(key: string, failure?: Failure): SpanDraft | null {
    const call = this.#calls.get(key);
    if (call === undefined) return null;
    this.#recorder.end(call, this.#nowMs, failure);
    this.#calls.delete(key);
    return call;
  }

  #openAttempt(event: EventOf<'node.started'>): void {
    const node = this.#nodes.get(event.node);
    const before = this.#lastAttempt.get(event.node);
    const key = attemptKey(event.node, event.attempt);
    const attempt = this.#recorder.start({
      ...{ key, parent: this.#root, kind: 'internal', atMs: this.#nowMs },
      name: `${OPERATION.executeTool} ${node?.tool ?? event.node}`,
      attributes: attemptAttributes(event, node, this.#captureContent),
      links: before === undefined ? [] : [this.#recorder.linkTo(before, SEMCONV_VALUE.linkRetryOf)],
    });
    this.#attempts.set(key, attempt);
    this.#lastAttempt.set(event.node, attempt);
  }

  #closeAttempt({ node, attempt }: { node: string; attempt: number }, failure?: Failure, value?: Json): void {
    const draft = this.#attempts.get(attemptKey(node, attempt));
    if (draft === undefined) return;
    this.#recorder.end(draft, this.#nowMs, failure);
    if (value === undefined || !this.#captureContent) return;
    draft.attributes[ATTRIBUTE.toolCallResult] = textOf(value);
    this.#results.set(node, value);
  }

  #addItems(event: EventOf<'node.expanded'>): void {
    const node = this.#nodes.get(event.node);
    if (node === undefined) return;
    for (let index = 0; index < event.items; index++) this.#nodes.set(`${event.node}[${index}]`, node);
  }

  #openPlanning(): SpanDraft {
    this.#planning ??= this.#recorder.start({
      ...{ parent: this.#root, kind: 'internal', atMs: this.#nowMs },
      key: `phase/plan/${++this.#planningCount}`,
      name: OPERATION.plan,
      attributes: { [ATTRIBUTE.operationName]: OPERATION.plan },
    });
    return this.#planning;
  }

  #openCriticism(): SpanDraft {
    this.#criticism ??= this.#recorder.start({
      ...{ parent: this.#root, kind: 'internal', atMs: this.#nowMs },
      key: `phase/critic/${++this.#criticismCount}`,
      name: `${OPERATION.invokeAgent} ${SEMCONV_VALUE.criticAgent}`,
      attributes: {
        [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
        [ATTRIBUTE.agentName]: SEMCONV_VALUE.criticAgent,
      },
    });
    return this.#criticism;
  }

  #closePhases(failure?: Failure): void {
    for (const phase of [this.#planning, this.#criticism]) {
      if (phase !== null) this.#recorder.end(phase, this.#nowMs, failure);
    }
    this.#planning = null;
    this.#criticism = null;
  }

  #loseOpen(atMs: number): void {
    this.#recorder.loseOpen(atMs, this.#root);
    this.#planning = null;
    this.#criticism = null;
  }

  #completeRoot(): void {
    const ending = this.#ending;
    if (ending?.type === 'run.interrupted') this.#root.attributes[ATTRIBUTE.runStatus] = 'interrupted';
    if (ending?.type !== 'run.finished') return;
    const { status, reason, failure, output } = ending;
    this.#recorder.end(this.#root, this.#nowMs, failure);
    this.#root.attributes[ATTRIBUTE.runStatus] = status;
    if (failure === undefined && FAILED_STATUSES.has(status)) {
      this.#root.attributes[ATTRIBUTE.errorType] = status;
      this.#root.status = { code: 'error', message: this.#captureContent ? reason : status };
    }
    const answer = ending.partial ?? (output === undefined ? undefined : this.#results.get(output.node));
    if (this.#captureContent && answer !== undefined) {
      this.#root.attributes[ATTRIBUTE.outputMessages] = outputContent(textOf(answer), 'stop');
    }
  }
}
