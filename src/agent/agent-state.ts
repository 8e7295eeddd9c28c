import type { AgentGrant, AgentSettings, Briefing, StopReason, Todo } from '../contracts/agent.ts';
import type { AgentEventOf } from '../contracts/agent-events.ts';
import type { Failure } from '../contracts/failure.ts';
import type { Message, ModelAnswer } from '../contracts/model.ts';
import type { ToolEffect, ToolSpec } from '../contracts/tool.ts';
import type { Json } from '../kernel/json.ts';
import { isChildTool } from './agent-tools.ts';
import type { PastCall } from './call-history.ts';
import type { LastingAgent } from './delegation.ts';
import { grantedTools } from './grant.ts';
import { createIterationBudget, type IterationBudget } from './iteration-budget.ts';
import type { TurnReading } from './read-turn.ts';
import type { CallOutcome } from './result-text.ts';

/** Where an agent stands: waiting for its briefing, in one of the four states of a round, writing up, or at its end. */
export type AgentPhase = 'briefing' | 'think' | 'act' | 'observe' | 'evaluate' | 'write_up' | 'ended';

/** What a question of an agent to a model is for. */
export type AskPurpose = 'think' | 'repair' | 'score' | 'summary' | 'final';

/** One tool call of the turn under way. */
export interface AgentCall {
  /** Id by which model and history know it. */
  readonly id: string;
  /** Key of its effect. */
  readonly key: string;
  readonly tool: string;
  args: Json;
  readonly segment: number;
  readonly effect: ToolEffect;
  signature: string;
  /** `hooking`: it has its outcome, and hooks are still to be asked about that. */
  status: 'due' | 'asking' | 'running' | 'failing' | 'hooking' | 'ended';
  attempt: number;
  dueAt: number;
  draw: number;
  /** A person consented to it. */
  isApproved: boolean;
  /** A consent given before covers the attempt under way. */
  isStanding: boolean;
  /** Its arguments are what a hook made of them. */
  isAmended: boolean;
  /** Hooks were asked before it, of a call that is the agent's own or a question to a person. */
  isHooked: boolean;
  /** A person refused it: that is no failure of the model. */
  isDenied: boolean;
  /** Its outcome is unknown, and a person is to say what became of it. */
  isDoubtful: boolean;
  /** The agent that it handed its work to has been started. */
  hasChild: boolean;
  failure: Failure | null;
  outcome: CallOutcome | null;
}

/** A compression under way. */
export interface Compression {
  readonly plan: AgentEventOf<'compression.started'>;
  areFiguresKept: boolean;
  answer: ModelAnswer | null;
  failure: string | null;
}

/** The state of one exchange of an agent: a fold over its events, owned and updated in place by it. Plain data. */
export interface AgentState {
  readonly key: string;
  readonly parent: string | null;
  readonly grant: AgentGrant;
  readonly settings: AgentSettings;
  readonly task: string;
  readonly systemMessage: string | null;
  tools: ReadonlyMap<string, ToolSpec>;
  phase: AgentPhase;
  /** Number of its last effect. */
  ordinal: number;
  briefing: Briefing | null;
  /** The system prompt, the same for the whole session. */
  system: string;
  /** The history without the system prompt; the request of this exchange included. */
  messages: Message[];
  generation: number;
  round: number;
  /** A round began and has not been looked at to its end. */
  isRoundOpen: boolean;
  failedRounds: number;
  readonly iterations: IterationBudget;
  /** Something asked for outside that is no call. */
  errand: AgentEventOf<'agent.requested'>['what'] | null;
  recalled: string;
  isRecalled: boolean;
  /** The question to a model that is open. */
  asking: { readonly id: string; readonly purpose: AskPurpose } | null;
  answer: ModelAnswer | null;
  reading: TurnReading | null;
  /** The text of a turn that could not be read was sent to be mended. */
  isRepaired: boolean;
  /** Tool calls of the turn under way, in call order; empty where it has none. */
  calls: AgentCall[];
  history: PastCall[];
  /** What each call came to the first time, by its signature, cut. */
  readonly results: Map<string, string>;
  /** Score that a model gave in this round; `failed` where none could be had. */
  score: number | null | 'failed';
  completion: number | null;
  compression: Compression | null;
  /** Since the last round a compression was made or failed; the next round may bring another. */
  isCompressionTried: boolean;
  /** Why no round follows; it has still to be logged. */
  stopOwed: { readonly reason: StopReason; readonly detail: string } | null;
  stop: { readonly reason: StopReason; readonly detail: string } | null;
  isInterrupted: boolean;
  isFinalTried: boolean;
  /** The answer to the task, or the write-up. */
  answerText: string | null;
  todos: readonly Todo[];
  memory: readonly string[];
  /** Its notes when this process took the run up: what was changed since may not have been kept. */
  memoryBefore: readonly string[];
  /** Calls that are made without asking; see `y -N`. */
  authorised: number;
  readonly lasting: Map<string, LastingAgent>;
  /** Keys of calls whose results came from the open world, those of its children included. */
  openWorld: readonly string[];
  finished: AgentEventOf<'agent.finished'> | null;
}

/** What an agent takes over from others at its start. */
export interface AgentOrigin {
  readonly catalogue: Iterable<ToolSpec>;
  readonly parent: AgentState | null;
  /** The exchange that it goes on with. */
  readonly before: AgentState | null;
}

/** The state after `agent.started`. */
export function createAgent(event: AgentEventOf<'agent.started'>, origin: AgentOrigin): AgentState {
  const { parent, before } = origin;
  const history = before?.messages ?? (event.history ?? []).filter(({ role }) => role !== 'system');
  return {
    key: event.agent,
    parent: event.parent ?? null,
    grant: event.grant,
    settings: event.settings,
    task: event.task,
    systemMessage: event.systemMessage ?? null,
    tools: grantedTools(event.grant, origin.catalogue),
    phase: before === null && parent === null ? 'briefing' : 'evaluate',
    ordinal: 0,
    briefing: before?.briefing ?? null,
    system: before?.system ?? '',
    messages: [...history, { role: 'user', content: event.task }],
    generation: before?.generation ?? 0,
    round: 0,
    isRoundOpen: false,
    failedRounds: 0,
    iterations:
      before?.iterations ?? createIterationBudget(event.grant.iterations, parent?.iterations ?? null),
    errand: null,
    recalled: '',
    isRecalled: false,
    asking: null,
    answer: null,
    reading: null,
    isRepaired: false,
    calls: [],
    history: [],
    results: new Map(),
    score: null,
    completion: null,
    compression: null,
    isCompressionTried: false,
    stopOwed: null,
    stop: null,
    isInterrupted: false,
    isFinalTried: false,
    answerText: null,
    todos: before?.todos ?? [],
    memory: before?.memory ?? [],
    memoryBefore: before?.memoryBefore ?? [],
    authorised: before?.authorised ?? (parent === null ? event.settings.authorised : 0),
    lasting: before?.lasting ?? new Map<string, LastingAgent>(),
    openWorld: before?.openWorld ?? [],
    finished: null,
  };
}

/** Effects under way that take a slot of the run: its question to a model, and its tool calls; its children have their own. */
export function slotsHeld(agent: AgentState): number {
  const running = agent.calls.filter(({ status, tool }) => status === 'running' && !isChildTool(tool)).length;
  return running + (agent.asking === null ? 0 : 1);
}

/** True for a call that may simply be made again where its outcome is unknown. */
export function isRepeatableCall(agent: AgentState, call: AgentCall): boolean {
  const spec = agent.tools.get(call.tool);
  return call.effect === 'read' || (spec?.effect === 'write' && spec.idempotent === true);
}

/** The call of a key in the turn under way. */
export function callOf(agent: AgentState, key: string): AgentCall | undefined {
  return agent.calls.find((call) => call.key === key);
}
