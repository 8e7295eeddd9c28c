import type { Failure } from '../contracts/failure.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { DELEGATE, isHandedOn, ownerKey } from '../run/crew-state.ts';
import { tryKey } from '../run/effect-key.ts';
import { ATTRIBUTE, OPERATION, SEMCONV_VALUE } from './semconv.ts';
import { agentAttributes, agentCallAttributes, type TracedRun } from './span-attributes.ts';
import { outputContent, textOf } from './span-content.ts';
import type { SpanDraft, SpanRecorder } from './span-recorder.ts';

/** What the spans of agents are drawn in. */
export interface AgentSurroundings {
  readonly run: TracedRun;
  /** The span that an agent stands below which no other one started. */
  readonly above: (agent: string) => SpanDraft;
  readonly descriptionOf: (tool: string) => string | undefined;
  /** The arguments of a call by the key of its try, where they are captured. */
  readonly argsOf: (key: string) => Json | undefined;
}

/** The key of the span of an agent: its own is that of the effect whose work it is. */
export function agentSpanKey(agent: string): string {
  return `${agent} agent`;
}

/** What an agent is called: names are few, whereas keys are as many as exchanges. One that is talked to has that of its session. */
export function agentName({ name }: EventOf<'agent.started'>, session: string | null): string {
  return name ?? session ?? DELEGATE;
}

/** The spans of the agents of a run: `invoke_agent` for each exchange, `execute_tool` for each attempt of a call. */
export class SpanAgents {
  readonly #recorder: SpanRecorder;
  readonly #captureContent: boolean;
  readonly #agents = new Map<string, { readonly called: string; readonly draft: SpanDraft }>();
  readonly #calls = new Map<string, SpanDraft>();
  /** By the keys of the tries. */
  readonly #tries = new Map<string, SpanDraft>();
  /** What models said to each agent at work, where content is captured: its answer among it. */
  readonly #said = new Map<string, string[]>();

  constructor(recorder: SpanRecorder, captureContent: boolean) {
    this.#recorder = recorder;
    this.#captureContent = captureContent;
  }

  /** Follows an event. */
  read(event: FlightEvent, atMs: number, surroundings: AgentSurroundings): void {
    if (event.type === 'agent.started') this.#startAgent(event, atMs, surroundings);
    else if (event.type === 'call.started') this.#startCall(event, atMs, surroundings);
    else if (event.type === 'call.returned') this.#endCall(event.key, atMs, undefined, event);
    else if (event.type === 'call.failed') this.#endCall(event.key, atMs, event.failure);
    else if (event.type === 'call.amended') this.#withdrawCall(event.key);
    else if (event.type === 'agent.finished') this.#endAgent(event, atMs);
    else if (event.type === 'model.answered' && this.#captureContent) {
      this.#said.get(ownerKey(event.key.replace(/#\d+$/, '')))?.push(event.answer.text);
    }
  }

  /** The span of the call or agent that a key stands below; undefined where it is none of theirs. */
  spanAbove(key: string): SpanDraft | undefined {
    const owner = ownerKey(key.replace(/#\d+$/, ''));
    return this.#calls.get(owner) ?? this.agentAt(owner);
  }

  /** The span of an agent at work; undefined where it has none. */
  agentAt(agent: string): SpanDraft | undefined {
    const draft = this.#agents.get(agent)?.draft;
    return draft?.endMs === null ? draft : undefined;
  }

  /** The span of a call under way; undefined where there is none. */
  callAt(key: string): SpanDraft | undefined {
    return this.#calls.get(key);
  }

  /** Begins in a new process the spans of agents that go on from where they were, each linked to the one before. */
  goOn(agents: readonly EventOf<'agent.started'>[], atMs: number, surroundings: AgentSurroundings): void {
    const before = new Map(this.#agents);
    this.#agents.clear();
    this.#calls.clear();
    for (const event of agents) this.#startAgent(event, atMs, surroundings, before.get(event.agent)?.draft);
  }

  #startAgent(
    event: EventOf<'agent.started'>,
    atMs: number,
    { run, above }: AgentSurroundings,
    before?: SpanDraft,
  ): void {
    const { agent } = event;
    const parent = this.agentAt(ownerKey(agent)) ?? above(agent);
    const called = agentName(event, parent.parent === null ? run.task.name : null);
    const draft = this.#recorder.start({
      ...{ key: agentSpanKey(agent), parent, kind: 'internal', atMs },
      attributes: agentAttributes(event, { run, called }, this.#captureContent),
      name: `${OPERATION.invokeAgent} ${called}`,
      links: before === undefined ? [] : [this.#recorder.linkTo(before, SEMCONV_VALUE.linkResumes)],
    });
    this.#agents.set(agent, { called, draft });
    if (!this.#said.has(agent)) this.#said.set(agent, []);
  }

  #endAgent({ agent, status, reason, answer }: EventOf<'agent.finished'>, atMs: number): void {
    const draft = this.agentAt(agent);
    const said = this.#said.get(agent)?.findLast((text) => hashJson(text) === answer);
    this.#said.delete(agent);
    if (draft === undefined) return;
    draft.attributes[ATTRIBUTE.agentStatus] = status;
    draft.attributes[ATTRIBUTE.agentReason] = reason;
    if (said !== undefined) draft.attributes[ATTRIBUTE.outputMessages] = outputContent(said, 'stop');
    this.#recorder.end(draft, atMs, status === 'aborted' ? ABORTED : undefined);
  }

  #startCall(event: EventOf<'call.started'>, atMs: number, surroundings: AgentSurroundings): void {
    const agent = this.#agents.get(event.agent);
    if (isHandedOn(event.tool) || agent?.draft.endMs !== null) return;
    const key = tryKey(event.key, event.attempt);
    // What was lost with its process is made again under the same number.
    const before = this.#tries.get(key) ?? this.#tries.get(tryKey(event.key, event.attempt - 1));
    const draft = this.#recorder.start({
      ...{ key, parent: agent.draft, kind: 'internal', atMs },
      name: `${OPERATION.executeTool} ${event.tool}`,
      attributes: agentCallAttributes(event, {
        ...{ run: surroundings.run, agent: agent.called },
        description: surroundings.descriptionOf(event.tool),
        args: surroundings.argsOf(key),
      }),
      links: before === undefined ? [] : [this.#recorder.linkTo(before, SEMCONV_VALUE.linkRetryOf)],
    });
    this.#calls.set(event.key, draft);
    this.#tries.set(key, draft);
  }

  #endCall(key: string, atMs: number, failure?: Failure, returned?: EventOf<'call.returned'>): void {
    const draft = this.#calls.get(key);
    if (draft === undefined) return;
    this.#calls.delete(key);
    this.#recorder.end(draft, atMs, failure);
    if (returned !== undefined && this.#captureContent)
      draft.attributes[ATTRIBUTE.toolCallResult] = textOf(returned.value);
  }

  /** A hook gave the call other arguments: it was not made. */
  #withdrawCall(key: string): void {
    const draft = this.#calls.get(key);
    if (draft === undefined) return;
    this.#calls.delete(key);
    this.#tries.delete(tryKey(key, Number(draft.attributes[ATTRIBUTE.nodeAttempt])));
    this.#recorder.withdraw(draft);
  }
}

const ABORTED = { code: 'aborted', class: 'PERMANENT', message: 'the agent was interrupted' } as const;
