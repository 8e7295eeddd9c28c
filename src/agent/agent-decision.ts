import type { NotesChange } from '../contracts/agent.ts';
import type { AgentEvent } from '../contracts/agent-events.ts';
import type { Reservation } from '../contracts/budget.ts';
import type { Failure } from '../contracts/failure.ts';
import type { AnswerFormat, Message, ModelAnswer, OfferedTool } from '../contracts/model.ts';
import type { CallJudgement, CallMarks } from '../contracts/policy/call-marks.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { Json } from '../kernel/json.ts';
import type { AgentState, AskPurpose } from './agent-state.ts';
import type { ContextEngine } from './context-engine.ts';
import type { CallOutcome } from './result-text.ts';

/** A question of an agent to a model, before the run has chosen its provider and reserved for it. */
export interface AgentAsk {
  /** Key of the call, without the ordinal of the try. */
  readonly id: string;
  readonly agent: string;
  readonly purpose: AskPurpose;
  readonly role: string;
  /** Draws on what was held back for the write-up when the agent started. */
  readonly isFinal: boolean;
  readonly messages: readonly Message[];
  readonly tools?: readonly OfferedTool[];
  readonly format?: AnswerFormat;
  readonly maxOutputTokens?: number;
}

/** Something of an agent to be done outside, once its event is durable. */
export type AgentEffect =
  | {
      readonly kind: 'callAgentTool';
      readonly agent: string;
      readonly key: string;
      readonly attempt: number;
      readonly tool: string;
      readonly args: Json;
      readonly timeoutMs: number;
      /** Its arguments are what a hook made of them. */
      readonly isAmended: boolean;
      /** The call changes the world: a result that comes after its deadline is a result all the same. */
      readonly keepsLateResult: boolean;
    }
  | { readonly kind: 'brief'; readonly agent: string }
  | { readonly kind: 'recall'; readonly agent: string; readonly query: string }
  | { readonly kind: 'keepFigures'; readonly agent: string; readonly texts: readonly string[] }
  | {
      readonly kind: 'askHooks';
      readonly agent: string;
      readonly key: string;
      readonly tool: ToolSpec;
      readonly args: Json;
      /** How it ended; null where it has not begun. */
      readonly outcome: CallOutcome | null;
    }
  | { readonly kind: 'keepMemory'; readonly agent: string; readonly change: NotesChange };

/** A question to a person about a call: whether it may be made, or what became of it. */
export interface AgentQuestion {
  readonly agent: string;
  readonly call: string;
  readonly question: 'consent' | 'in_doubt' | 'answer';
  readonly tool: string;
  readonly args: Json;
  /** Digest of tool and arguments. */
  readonly argsHash: string;
  /** Why policy has a person asked, where it does. */
  readonly marks?: CallMarks;
}

/** What an agent owes next. */
export type AgentDecision =
  | {
      readonly kind: 'log';
      readonly event:
        AgentEvent | { readonly type: 'retry.scheduled'; readonly key: string; readonly delayMs: number };
      readonly effect?: AgentEffect;
    }
  | { readonly kind: 'ask'; readonly ask: AgentAsk }
  | { readonly kind: 'question'; readonly question: AgentQuestion };

/** What a decision needs to know of the run, all of it from the run's own state. */
export interface AgentEnvironment {
  /** Time of the last event, in epoch milliseconds. */
  readonly now: number;
  /** New model calls may be made; a write-up may always be tried. */
  readonly mayCall: boolean;
  /** Whether one more tool call fits the budget, or may once others have settled. */
  readonly toolCall: 'fits' | 'waits' | 'refused';
  /** Effects that may start now; see `slotsHeld`. */
  readonly freeSlots: number;
  /** Window and longest answer of the agent's model in the mode in force. */
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  readonly context: ContextEngine;
  estimateTokens(request: {
    readonly messages: readonly Message[];
    readonly tools?: readonly OfferedTool[];
  }): number;
  timeoutMs(tool: ToolSpec): number;
  /** Hooks stand around calls, also around those that no code outside makes. */
  readonly hasHooks: boolean;
  /** What policy says of the arguments of a call of a tool of the catalogue; nothing is refused where not given. */
  judge?(agent: AgentState, tool: ToolSpec, args: Json): CallJudgement;
  backoffMs(failure: Failure, attempt: number, draw: number): number;
  /** What a child's write-up takes; null where not even that fits the budget. */
  reserveWriteUp(): Reservation | null;
}

/** What an agent folds: its own events, and those of the run that concern it. */
export type AgentInput =
  | AgentEvent
  | { readonly type: 'model.requested' | 'model.refused'; readonly key: string }
  | { readonly type: 'model.answered'; readonly key: string; readonly answer: ModelAnswer }
  /** A question that ended without an answer, all tries made. */
  | { readonly type: 'ask.failed'; readonly key: string; readonly failure: Failure }
  | { readonly type: 'retry.scheduled'; readonly key: string; readonly delayMs: number; readonly at: number }
  | { readonly type: 'approval.requested'; readonly call: string }
  | {
      readonly type: 'approval.decided';
      readonly call: string;
      readonly decision: 'approved' | 'denied' | 'done';
      /** Calls after this one that are made without asking. */
      readonly next?: number;
      /** What the person says to the model. */
      readonly reason?: string;
      readonly value?: Json;
    };
