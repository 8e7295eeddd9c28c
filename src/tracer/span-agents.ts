import type { Failure } from '../contracts/failure.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { isHandedOn, ownerKey } from '../run/crew-state.ts';
import { ATTRIBUTE, OPERATION, SEMCONV_VALUE } from './semconv.ts';
import { textOf } from './span-content.ts';
import type { SpanDraft, SpanRecorder } from './span-recorder.ts';
import type { AttributeValue } from './span.ts';

/** The spans of the agents of a run: `invoke_agent` for each exchange, `execute_tool` for each attempt of a call. */
export class SpanAgents {
  readonly #recorder: SpanRecorder;
  readonly #captureContent: boolean;
  readonly #agents = new Map<string, SpanDraft>();
  readonly #calls = new Map<string, SpanDraft>();

  constructor(recorder: SpanRecorder, captureContent: boolean) {
    this.#recorder = recorder;
    this.#captureContent = captureContent;
  }

  /** Follows an event; an agent that no other one started stands below `above`. */
  read(event: FlightEvent, atMs: number, above: (agent: string) => SpanDraft): void {
    if (event.type === 'agent.started') {
      this.#startAgent(event, atMs, this.#agentAt(ownerKey(event.agent)) ?? above(event.agent));
    } else if (event.type === 'call.started') {
      if (!isHandedOn(event.tool)) this.#startCall(event, atMs, this.#agentAt(event.agent));
    } else if (event.type === 'call.returned') this.#endCall(event.key, atMs, undefined, event);
    else if (event.type === 'call.failed') this.#endCall(event.key, atMs, event.failure);
    else if (event.type === 'call.amended') this.#endCall(event.key, atMs);
    else if (event.type === 'agent.finished') this.#endAgent(event, atMs);
  }

  /** The span of the call or agent that a key stands below; undefined where it is none of theirs. */
  spanAbove(key: string): SpanDraft | undefined {
    const owner = ownerKey(key.replace(/#\d+$/, ''));
    return this.#calls.get(owner) ?? this.#agentAt(owner);
  }

  /** Lets go of what is open, which the recorder has lost. An agent that goes on has no span in this process. */
  lose(): void {
    this.#agents.clear();
    this.#calls.clear();
  }

  #agentAt(key: string): SpanDraft | undefined {
    const draft = this.#agents.get(key);
    return draft?.endMs === null ? draft : undefined;
  }

  #startAgent({ agent, name, task }: EventOf<'agent.started'>, atMs: number, parent: SpanDraft): void {
    const called = name ?? agent;
    const attributes: Record<string, AttributeValue> = {
      [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
      [ATTRIBUTE.agentName]: called,
      [ATTRIBUTE.effectKey]: agent,
    };
    if (this.#captureContent) attributes[ATTRIBUTE.inputMessages] = textOf(task);
    const draft = this.#recorder.start({
      ...{ key: `${agent} agent`, parent, kind: 'internal', atMs, attributes },
      name: `${OPERATION.invokeAgent} ${called}`,
    });
    this.#agents.set(agent, draft);
  }

  #endAgent({ agent, status, reason }: EventOf<'agent.finished'>, atMs: number): void {
    const draft = this.#agentAt(agent);
    if (draft === undefined) return;
    draft.attributes[ATTRIBUTE.agentStatus] = status;
    draft.attributes[ATTRIBUTE.agentReason] = reason;
    this.#recorder.end(draft, atMs);
  }

  #startCall(event: EventOf<'call.started'>, atMs: number, parent: SpanDraft | undefined): void {
    if (parent === undefined) return;
    const { key, tool, attempt, args } = event;
    const draft = this.#recorder.start({
      ...{ key, parent, kind: 'internal', atMs, name: `${OPERATION.executeTool} ${tool}` },
      attributes: {
        [ATTRIBUTE.operationName]: OPERATION.executeTool,
        [ATTRIBUTE.toolName]: tool,
        [ATTRIBUTE.toolType]: SEMCONV_VALUE.toolTypeFunction,
        [ATTRIBUTE.toolCallId]: key,
        [ATTRIBUTE.nodeAttempt]: attempt,
        [ATTRIBUTE.argsDigest]: args,
      },
    });
    this.#calls.set(key, draft);
  }

  #endCall(key: string, atMs: number, failure?: Failure, returned?: EventOf<'call.returned'>): void {
    const draft = this.#calls.get(key);
    if (draft === undefined) return;
    this.#calls.delete(key);
    this.#recorder.end(draft, atMs, failure);
    if (returned !== undefined && this.#captureContent)
      draft.attributes[ATTRIBUTE.toolCallResult] = textOf(returned.value);
  }
}
