/*
 * A run's log read as trees of spans, one for each segment: what one process did of the run. A segment is an
 * `invoke_agent` span; below it stand one `plan` span for each time that a plan was drawn, one `execute_tool` span for
 * each attempt of a node, and one span for each round of the critic. Model calls are `chat` spans below what they were
 * made for; they alone carry usage.
 * Decisions are events of the span that they concern. Times are those of the log. The same log gives the same traces.
 */
import type { Failure } from '../contracts/failure.ts';
import type { AskRequest } from '../contracts/model.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { Task } from '../contracts/task.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { attemptKey, purposeOf } from '../run/effect-key.ts';
import { HandedOn } from './span-handed-on.ts';
import { type AgentSurroundings, SpanAgents } from './span-agents.ts';
import {
  answerAttributes,
  attemptAttributes,
  failedCallAttributes,
  requestAttributes,
  runAttributes,
  type TracedRun,
} from './span-attributes.ts';
import { requestContent, textOf } from './span-content.ts';
import type { RecomputedEffects } from './span-effects.ts';
import { endRoot, leaveRoot } from './span-ending.ts';
import { toSpanNote } from './span-events.ts';
import { SpanMemory } from './span-memory.ts';
import { SpanPhases } from './span-phases.ts';
import { type RecordedSpan, type SpanDraft, SpanRecorder } from './span-recorder.ts';
import { openSegment, ROOT_KEY } from './span-segment.ts';
import type { Span } from './span.ts';
import { ATTRIBUTE, OPERATION, SEMCONV_VALUE } from './semconv.ts';

/** What traces are to hold. */
export interface SpanOptions {
  /** Whether goal, arguments, results, questions, answers and messages of failures are put on the spans. */
  readonly captureContent?: boolean;
  /** Requests and arguments to be captured whole; without them only what the log itself holds is. */
  readonly effects?: RecomputedEffects;
  /** Only what the last process did, whose spans nobody has sent yet. */
  readonly isLastSegmentOnly?: boolean;
}

/**
 * The spans of a run in the order of their starts, the root of each segment before what is below it; none for a log
 * without `run.started`. What a fork took over from another run is in the traces of that one.
 */
export function buildSpans(events: readonly FlightEvent[], options: SpanOptions = {}): Span[] {
  const started = events[0];
  if (started?.type !== 'run.started') return [];
  const reader = new TraceReader(started, options);
  for (const event of events) reader.read(event);
  const recorded = reader.finish();
  const last = recorded.at(-1)?.segment;
  return recorded.flatMap(({ segment, span }) => {
    const isWanted = options.isLastSegmentOnly === true ? segment === last : segment.runId === last?.runId;
    return isWanted ? [span] : [];
  });
}

interface Question {
  /** Key of the attempt that asks. */
  readonly asker: string;
  /** The node, or the call of an agent, whose attempt that is. */
  readonly owner: string;
  readonly request: AskRequest;
}

const CANCELLED: Failure = { code: 'aborted', class: 'PERMANENT', message: 'cancelled with the run' };

class TraceReader {
  readonly #recorder: SpanRecorder;
  readonly #captureContent: boolean;
  readonly #effects: RecomputedEffects | undefined;
  readonly #phases: SpanPhases;
  readonly #memory: SpanMemory;
  readonly #agents: SpanAgents;
  readonly #handedOn = new HandedOn();
  #run: TracedRun;
  #root: SpanDraft;
  readonly #nodes = new Map<string, PlanNode>();
  readonly #descriptions = new Map<string, string>();
  readonly #questions = new Map<string, Question>();
  readonly #calls = new Map<string, SpanDraft>();
  readonly #attempts = new Map<string, SpanDraft>();
  readonly #lastAttempt = new Map<string, SpanDraft>();
  readonly #results = new Map<string, Json>();
  #ending: EventOf<'run.finished'> | EventOf<'run.interrupted'> | null = null;
  #nowMs: number;

  constructor(started: EventOf<'run.started'>, { captureContent = false, effects }: SpanOptions) {
    const { runId, goal, rules, task, traceparent, at } = started;
    this.#recorder = new SpanRecorder(openSegment({ runId, traceparent }), captureContent);
    this.#captureContent = captureContent;
    this.#effects = effects;
    this.#nowMs = at;
    this.#run = { runId, goal, rules, task: task as Task };
    this.#root = this.#startRoot();
    this.#phases = new SpanPhases(this.#recorder, task.name, runId);
    this.#memory = new SpanMemory(this.#recorder, captureContent);
    this.#agents = new SpanAgents(this.#recorder, captureContent);
  }

  read(event: FlightEvent): void {
    const beforeMs = this.#nowMs;
    // A resumed run may come from a machine whose clock is behind; spans never run backwards.
    this.#nowMs = Math.max(beforeMs, event.at);
    this.#open(event, beforeMs);
    this.#agents.read(event, this.#nowMs, this.#surroundings());
    this.#handedOn.read(event);
    this.#note(event);
    this.#close(event);
  }

  finish(): RecordedSpan[] {
    this.#endRoot();
    return this.#recorder.finish(this.#nowMs);
  }

  #startRoot(link?: { to: SpanDraft; kind: string }): SpanDraft {
    return this.#recorder.start({
      ...{ key: ROOT_KEY, parent: null, kind: 'internal', atMs: this.#nowMs },
      name: `${OPERATION.invokeAgent} ${this.#run.task.name}`,
      attributes: runAttributes(this.#run, this.#captureContent),
      links: link === undefined ? [] : [this.#recorder.linkTo(link.to, link.kind)],
    });
  }

  #open(event: FlightEvent, beforeMs: number): void {
    if (event.type === 'model.requested') this.#openCall(event);
    else if (event.type === 'node.started') this.#openAttempt(event);
    else if (event.type === 'replan.started') this.#phases.planning(this.#root, this.#nowMs);
    else if (event.type === 'check.called') this.#phases.criticism(this.#root, this.#nowMs);
    else if (event.type === 'node.expanded') this.#addItems(event);
    else if (event.type === 'memory.requested') {
      this.#memory.start(event, this.#parentOf(event.call), this.#nowMs);
    } else if (event.type === 'agent.requested') {
      this.#memory.ask(event, this.#running(this.#agents.agentAt(event.agent)), this.#nowMs);
    } else if (event.type === 'catalogue.published') {
      for (const { name, description } of event.tools) this.#descriptions.set(name, description);
    } else if (event.type === 'ask.received') {
      const { key, node: owner, attempt, request } = event;
      this.#questions.set(key, { asker: attemptKey(owner, attempt), owner, request });
    } else if (event.type === 'run.resumed') this.#resume(event, beforeMs);
    else if (event.type === 'run.forked') this.#fork(event, beforeMs);
  }

  /** The process before has ended, and its spans with it: what follows is a segment of its own. */
  #resume(event: EventOf<'run.resumed'>, beforeMs: number): void {
    const { traceparent, seq } = event;
    this.#run = { ...this.#run, rules: event.rules };
    this.#enter(openSegment({ runId: this.#run.runId, traceparent, resumedAt: seq }), beforeMs, {
      kind: SEMCONV_VALUE.linkResumes,
    });
  }

  #fork(event: EventOf<'run.forked'>, beforeMs: number): void {
    const { runId, traceparent, rules, overrides } = event;
    const { goal = this.#run.goal, provider = this.#run.task.provider } = overrides;
    const task = { ...this.#run.task, provider: provider as Task['provider'] };
    this.#run = { runId, goal, rules, task };
    this.#enter(openSegment({ runId, traceparent }), beforeMs, { kind: SEMCONV_VALUE.linkForkedFrom });
  }

  #enter(segment: ReturnType<typeof openSegment>, beforeMs: number, { kind }: { kind: string }): void {
    const left = this.#root;
    this.#endRoot();
    leaveRoot(this.#recorder, left, beforeMs);
    this.#phases.lose(this.#run.runId);
    this.#memory.lose();
    this.#calls.clear();
    this.#attempts.clear();
    this.#ending = null;
    this.#recorder.enter(segment);
    this.#root = this.#startRoot({ to: left, kind });
    for (const handed of this.#handedOn.attempts) this.#openAttempt(handed, SEMCONV_VALUE.linkResumes);
    this.#agents.goOn(this.#handedOn.agents, this.#nowMs, this.#surroundings());
  }

  #surroundings(): AgentSurroundings {
    return {
      run: this.#run,
      above: (agent) => this.#running(this.#attempts.get(agent)),
      descriptionOf: (tool) => this.#descriptions.get(tool),
      argsOf: (key) => (this.#captureContent ? this.#effects?.args.get(key) : undefined),
    };
  }

  #note(event: FlightEvent): void {
    const note = toSpanNote(event, this.#captureContent);
    if (note === null) return;
    const { name, attributes, isMinor } = note;
    this.#recorder.addEvent(this.#noteTarget(event), { name, atMs: this.#nowMs, attributes }, isMinor);
  }

  #noteTarget(event: FlightEvent): SpanDraft {
    if (event.type === 'plan.accepted' || event.type === 'plan.rejected')
      return this.#phases.plan ?? this.#root;
    if (event.type === 'tool.logged') {
      const { node } = event;
      return this.#running(
        this.#lastAttempt.get(node) ?? this.#agents.callAt(node) ?? this.#agents.agentAt(node),
      );
    }
    if (event.type === 'ask.failed') {
      const question = this.#questionOf(event.key);
      if (question === undefined) return this.#running(this.#agents.spanAbove(event.key));
      return this.#running(this.#attempts.get(question.asker) ?? this.#agents.callAt(question.owner));
    }
    return 'agent' in event && event.agent !== undefined
      ? this.#running(this.#agents.agentAt(event.agent))
      : this.#root;
  }

  #running(draft: SpanDraft | undefined): SpanDraft {
    return draft?.endMs === null ? draft : this.#root;
  }

  #close(event: FlightEvent): void {
    if (event.type === 'model.answered') {
      const call = this.#closeCall(event.key);
      if (call !== null) Object.assign(call.attributes, answerAttributes(event.answer, this.#captureContent));
    } else if (event.type === 'model.failed') {
      const call = this.#closeCall(event.key, event.failure);
      if (call !== null) Object.assign(call.attributes, failedCallAttributes(event));
    } else if (event.type === 'node.done') this.#closeAttempt(event, undefined, event.value);
    else if (event.type === 'attempt.failed') this.#closeAttempt(event, event.failure);
    else if (event.type === 'node.cancelled') this.#closeAttempt(event, CANCELLED);
    else if (event.type === 'node.failed') this.#closeLast(event.node, event.failure);
    else if (event.type === 'node.refused') this.#closeLast(event.node);
    else if (event.type === 'node.amended' && event.by === 'hook') this.#withdraw(event.node);
    else if (event.type === 'memory.recalled') this.#memory.end(event, this.#nowMs);
    else if (event.type === 'agent.recalled' || event.type === 'figures.kept')
      this.#memory.answer(event, this.#nowMs);
    else if (event.type === 'plan.accepted') {
      for (const node of event.plan.nodes) this.#nodes.set(node.id, node);
      this.#phases.close(this.#nowMs);
    } else if (event.type === 'verdict.reached') this.#phases.close(this.#nowMs);
    else if (event.type === 'run.interrupted' || event.type === 'run.finished') {
      if (event.type === 'run.finished') this.#phases.close(this.#nowMs, event.failure);
      this.#recorder.loseOpen(this.#nowMs, this.#root);
      this.#phases.lose(this.#run.runId);
      this.#ending = event;
    }
  }

  #openCall(event: EventOf<'model.requested'>): void {
    const ask = this.#questionOf(event.key)?.request;
    const attributes = requestAttributes(event, this.#run.runId, ask);
    if (this.#captureContent) {
      Object.assign(attributes, requestContent(this.#effects?.requests.get(event.key), ask));
    }
    const call = this.#recorder.start({
      ...{ key: event.key, parent: this.#parentOf(event.key), kind: 'client', atMs: this.#nowMs, attributes },
      name: event.model === '' ? OPERATION.chat : `${OPERATION.chat} ${event.model}`,
      links: this.#repairLinks(event),
    });
    this.#calls.set(event.key, call);
  }

  /** What a model call is made for: a plan, a verdict, the tool that asks, or the run. */
  #parentOf(call: string): SpanDraft {
    const question = this.#questionOf(call);
    const agent = this.#agents.spanAbove(call);
    if (question !== undefined) return this.#running(this.#attempts.get(question.asker) ?? agent);
    if (agent !== undefined) return agent;
    const purpose = purposeOf(call);
    if (purpose === 'plan') return this.#phases.planning(this.#root, this.#nowMs);
    return purpose === 'judge' ? this.#phases.criticism(this.#root, this.#nowMs) : this.#root;
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

  #openAttempt(event: EventOf<'node.started'>, linkKind: string = SEMCONV_VALUE.linkRetryOf): void {
    const node = this.#nodes.get(event.node);
    const before = this.#lastAttempt.get(event.node);
    const key = attemptKey(event.node, event.attempt);
    const args = this.#captureContent ? (this.#effects?.args.get(key) ?? node?.args) : undefined;
    const description = this.#descriptions.get(node?.tool ?? '');
    const attempt = this.#recorder.start({
      ...{ key, parent: this.#root, kind: 'internal', atMs: this.#nowMs },
      name: `${OPERATION.executeTool} ${node?.tool ?? event.node}`,
      attributes: attemptAttributes(event, { run: this.#run, node, description, args }),
      links: before === undefined ? [] : [this.#recorder.linkTo(before, linkKind)],
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

  /** The attempt of a node whose agent has ended without its result. */
  #closeLast(node: string, failure?: Failure): void {
    const draft = this.#lastAttempt.get(node);
    if (draft?.endMs === null) this.#recorder.end(draft, this.#nowMs, failure);
  }

  /** A hook gave the call other arguments: it was not made. */
  #withdraw(node: string): void {
    const draft = this.#lastAttempt.get(node);
    if (draft?.endMs !== null) return;
    this.#recorder.withdraw(draft);
    const before = this.#attempts.get(attemptKey(node, Number(draft.attributes[ATTRIBUTE.nodeAttempt]) - 1));
    if (before === undefined) this.#lastAttempt.delete(node);
    else this.#lastAttempt.set(node, before);
  }

  #addItems(event: EventOf<'node.expanded'>): void {
    const node = this.#nodes.get(event.node);
    if (node === undefined) return;
    for (let index = 0; index < event.items; index++) this.#nodes.set(`${event.node}[${index}]`, node);
  }

  #endRoot(): void {
    if (this.#ending === null) return;
    const { output } = this.#ending.type === 'run.finished' ? this.#ending : {};
    const answer = output === undefined ? undefined : this.#results.get(output.node);
    endRoot(this.#recorder, this.#root, {
      ...{ ending: this.#ending, answer, captureContent: this.#captureContent },
    });
  }
}
