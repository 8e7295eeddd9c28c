/*
 * What the views read out of a log, in one pass: the nodes with their attempts and events, the model calls, the books.
 * It trusts nothing but the log, so that a log cut short or written by an older version still shows what it holds.
 * Times are milliseconds of running time since the run began: the time between two processes is nobody's.
 */
import type { Amounts, Ledger } from '../budget/ledger.ts';
import type { BudgetMode, Reservation } from '../contracts/budget.ts';
import type { Failure } from '../contracts/failure.ts';
import type { Usage } from '../contracts/model.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeStatus } from '../run/node-state.ts';

/** How something that takes time ended; `lost` where its process died or was stopped. */
export type Outcome = 'running' | 'done' | 'failed' | 'cancelled' | 'lost';

/** One attempt of a node. */
export interface AttemptReading {
  readonly number: number;
  readonly argsHash: string;
  readonly startMs: number;
  endMs: number | null;
  outcome: Outcome;
}

/** One node of a plan, or one item of a foreach node. */
export interface NodeReading {
  readonly id: string;
  /** As the last plan has it that holds the node; an item has that of its foreach node. */
  plan: PlanNode;
  /** The foreach node that this is an item of. */
  readonly itemOf: string | null;
  /** Ids of the items of a foreach node, once it has become its items. */
  items: readonly string[];
  status: NodeStatus;
  failure: Failure | null;
  value: Json | undefined;
  readonly attempts: AttemptReading[];
  /** The events that name the node, in their order. */
  readonly events: FlightEvent[];
}

/** One try of a model call. */
export interface CallReading {
  readonly key: string;
  readonly role: string;
  readonly model: string;
  /** Whether a tool made it. */
  readonly isAsk: boolean;
  readonly reserved: Reservation;
  readonly startMs: number;
  endMs: number | null;
  outcome: Outcome;
  usage: Usage | null;
  /** Null where the price of the model is not known. */
  costMicroUsd: number | null;
}

/**
 * How a run stands; `running` where the log has no ending: it goes on, or its process died. `unfinished` where it is
 * known that no process runs it.
 */
export type RunStatus = EventOf<'run.finished'>['status'] | 'interrupted' | 'running' | 'unfinished';

/** A log as the views read it. */
export interface RunReading {
  readonly events: readonly FlightEvent[];
  /** As it began; a fork with the id, goal and budget of its own. */
  started: EventOf<'run.started'>;
  status: RunStatus;
  finished: EventOf<'run.finished'> | null;
  elapsedMs: number;
  readonly resumedAtMs: number[];
  readonly levels: { readonly level: number; readonly atMs: number }[];
  plan: EventOf<'plan.accepted'> | null;
  readonly nodes: Map<string, NodeReading>;
  readonly calls: CallReading[];
  ledger: Ledger;
  /** What the run had spent from which this one was forked off. */
  inherited: (Readonly<Amounts> & { readonly origin: string }) | null;
  /** Running time of that run. */
  forkedAtMs: number;
  mode: BudgetMode;
  verdict: EventOf<'verdict.reached'>['verdict'] | null;
}

/** A log, or what was read out of it before. */
export type RunSource = readonly FlightEvent[] | RunReading;
