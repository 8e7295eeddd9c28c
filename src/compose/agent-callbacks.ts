import type { AgentEventOf } from '../contracts/agent-events.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ModelDelta } from '../contracts/model.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { readableReasoning } from '../providers/reasoning.ts';
import type { RunState } from '../run/state.ts';

/** What an agent wants to know of the person before it goes on. */
export interface ClarifyQuestion {
  readonly question: string;
  readonly choices: readonly string[];
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** How far a call of a tool is; `agent` is the key of the agent that makes it. */
export interface ToolProgress {
  readonly agent: string;
  readonly key: string;
  readonly tool: string;
  readonly state: 'started' | 'returned' | 'failed' | 'refused';
  readonly args?: Json;
  readonly value?: Json;
  readonly failure?: Failure;
}

/** What whoever talks to an agent is told while it works. They change nothing; what they throw is not the agent's. */
export interface AgentCallbacks {
  /** A call of a tool began or ended. */
  onToolProgress?(progress: ToolProgress): void;
  /** A model is asked what to do. */
  onThinking?(round: { readonly agent: string; readonly round: number }): void;
  /** What the model says of its thoughts: the fields of a JSON command, the text beside its calls, what its API shows of its reasoning. */
  onReasoning?(thoughts: {
    readonly agent: string;
    readonly thoughts: Readonly<Record<string, string>>;
  }): void;
  /** Answers a question of the agent; without it the agent cannot ask. */
  readonly onClarify?: (question: ClarifyQuestion) => Promise<string>;
  /** A round was looked at. */
  onStep?(step: AgentEventOf<'round.ended'>): void;
  /** A piece of an answer while it comes; it may still be cut off, and then it counts for nothing. */
  readonly onStreamDelta?: (delta: ModelDelta) => void;
  /** A turn was read: these calls are going to be made. */
  onToolGeneration?(turn: AgentEventOf<'turn.read'>): void;
  /** Something else a person may want to see: stops, compressions, refusals, retries, changes of mode. */
  onStatus?(event: FlightEvent): void;
}

const STATUS: ReadonlySet<string> = new Set([
  ...['agent.started', 'agent.stopped', 'agent.interrupted', 'agent.finished', 'context.compressed'],
  ...['compression.failed', 'approval.requested', 'approval.decided', 'retry.scheduled', 'fallback.chosen'],
  ...['pressure.changed', 'budget.overrun', 'model.failed', 'model.warned', 'tool.logged', 'run.interrupted'],
]);

/** Tells callbacks what an event means; called after it was folded. */
export function tellCallbacks(callbacks: AgentCallbacks, event: FlightEvent, state: RunState): void {
  if (STATUS.has(event.type)) callbacks.onStatus?.(event);
  if (event.type === 'round.started') callbacks.onThinking?.({ agent: event.agent, round: event.round });
  else if (event.type === 'round.ended') callbacks.onStep?.(event);
  else if (event.type === 'turn.read') {
    const thoughts = { ...thoughtsOf(state, event.agent), ...event.thoughts };
    if (Object.keys(thoughts).length > 0) callbacks.onReasoning?.({ agent: event.agent, thoughts });
    if (event.kind === 'calls') callbacks.onToolGeneration?.(event);
  } else if (isOfCall(event)) callbacks.onToolProgress?.(toProgress(event, state));
}

type CallEvent = Extract<
  FlightEvent,
  { type: 'call.started' | 'call.returned' | 'call.failed' | 'call.refused' | 'call.answered' }
>;

const CALL_EVENTS: ReadonlySet<string> = new Set([
  ...['call.started', 'call.returned', 'call.failed', 'call.refused', 'call.answered'],
]);

function isOfCall(event: FlightEvent): event is CallEvent {
  return CALL_EVENTS.has(event.type);
}

function thoughtsOf(state: RunState, key: string): Record<string, string> {
  const agent = state.crew.get(key);
  const text = agent?.answer?.text.trim() ?? '';
  const isBesideCalls = agent?.reading?.kind === 'calls' && (agent.answer?.toolCalls?.length ?? 0) > 0;
  const reasoning = readableReasoning(agent?.answer?.reasoning ?? []);
  return {
    ...(text === '' || !isBesideCalls ? {} : { text }),
    ...(reasoning === '' ? {} : { reasoning }),
  };
}

function toProgress(event: CallEvent, state: RunState): ToolProgress {
  const { agent, key } = event;
  const call = state.crew.get(agent)?.calls.find((each) => each.key === key);
  const base = { agent, key, tool: call?.tool ?? '' };
  switch (event.type) {
    case 'call.started':
      return { ...base, state: 'started', ...(call === undefined ? {} : { args: call.args }) };
    case 'call.returned':
      return { ...base, state: 'returned', value: event.value };
    case 'call.answered':
      return {
        ...base,
        state: 'returned',
        ...(call?.outcome?.ok === true ? { value: call.outcome.value } : {}),
      };
    case 'call.failed':
      return { ...base, state: 'failed', failure: event.failure };
    case 'call.refused':
      return { ...base, state: 'refused', failure: event.failure };
  }
}
