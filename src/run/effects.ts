import type { AgentEffect } from '../agent/agent-decision.ts';
import type { HookedOutcome } from '../contracts/hooks.ts';
import type { WorkingMemory } from '../contracts/memory.ts';
import type { ModelRequest } from '../contracts/model.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { EventPayload } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';

/** Something to be done outside, once the events that it depends on are durable. */
export type Effect =
  | {
      readonly kind: 'callTool';
      readonly node: string;
      readonly attempt: number;
      readonly tool: string;
      readonly args: Json;
      readonly timeoutMs: number;
      /** The call changes the world, so that a result that comes after its deadline is a result all the same. */
      readonly keepsLateResult: boolean;
      /** It is made again, as it was: hooks that have answered are not asked again. */
      readonly isSameCall?: boolean;
      /** It has the arguments that hooks gave it: they are not asked what they make of those. */
      readonly isAmended?: boolean;
    }
  | {
      readonly kind: 'callModel';
      readonly key: string;
      /** The node that asks, or whose arguments are repaired; empty for the run's own calls. */
      readonly node: string;
      /** Id of the provider. */
      readonly provider: string;
      readonly request: ModelRequest;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'agent'; readonly effect: AgentEffect }
  | {
      /** Asks hooks about a node that no code outside does: before it, or after it about its outcome. */
      readonly kind: 'askHooks';
      readonly node: string;
      readonly key: string;
      readonly tool: ToolSpec;
      readonly args: Json;
      readonly outcome: HookedOutcome | null;
    }
  | { readonly kind: 'refreshCredential'; readonly key: string; readonly provider: string }
  | {
      readonly kind: 'recall';
      readonly key: string;
      readonly query: string;
      readonly working: WorkingMemory;
      readonly budgetChars: number;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'callCheck';
      readonly key: string;
      readonly index: number;
      /** The check as the task names it. */
      readonly source: string;
      readonly report: string;
      readonly timeoutMs: number;
    };

/** What a run owes next: an event to be logged and folded, and what is to be done once `after` is durable. */
export interface Decision {
  readonly event: EventPayload;
  readonly effect?: Effect;
  /** Sequence that must be durable before the effect; the decision's own where it is left out or later than that. */
  readonly after?: number;
}
