import type { BudgetDimension, Reservation } from '../contracts/budget.ts';
import type { Task } from '../contracts/task.ts';

/** Amounts per dimension: whole tokens and calls, millionths of a US dollar, milliseconds of running time. */
export interface Amounts {
  tokens: number;
  toolCalls: number;
  llmCalls: number;
  costMicroUsd: number;
  wallMs: number;
}

/** What may be spent, what is spent, and what calls under way have taken. Updated in place by the fold alone. */
export interface Ledger {
  /** Infinity where there is no limit; 0 is a limit. */
  readonly limits: Amounts;
  /** Held back from the limits for the write-up of a stopped run. */
  readonly heldBack: Amounts;
  readonly settled: Amounts;
  readonly reserved: Amounts;
  /** Kept for the write-ups of agents at work. */
  readonly promised: Amounts;
}

/** What a reservation may name. */
export type ReservedAmount = keyof Reservation;

const RESERVED_AMOUNTS = ['tokens', 'toolCalls', 'llmCalls', 'costMicroUsd'] as const;

/** The dimension of the task file that an amount belongs to. */
export const DIMENSION_OF_AMOUNT: Record<keyof Amounts, BudgetDimension> = {
  tokens: 'tokens',
  toolCalls: 'toolCalls',
  llmCalls: 'llmCalls',
  costMicroUsd: 'costUsd',
  wallMs: 'wallSeconds',
};

/** The ledger of a budget with nothing spent. */
export function createLedger(budget: Task['budget']): Ledger {
  const limits: Amounts = {
    tokens: budget.tokens ?? Infinity,
    toolCalls: budget.toolCalls ?? Infinity,
    llmCalls: budget.llmCalls ?? Infinity,
    costMicroUsd: budget.costUsd === undefined ? Infinity : Math.round(budget.costUsd * 1e6),
    wallMs: budget.wallSeconds === undefined ? Infinity : budget.wallSeconds * 1000,
  };
  const share = (limit: number): number => (limit === Infinity ? 0 : Math.floor(limit * budget.finalReserve));
  return {
    limits,
    heldBack: {
      tokens: share(limits.tokens),
      toolCalls: 0,
      llmCalls: share(limits.llmCalls),
      costMicroUsd: share(limits.costMicroUsd),
      wallMs: 0,
    },
    settled: zero(),
    reserved: zero(),
    promised: zero(),
  };
}

function zero(): Amounts {
  return { tokens: 0, toolCalls: 0, llmCalls: 0, costMicroUsd: 0, wallMs: 0 };
}

/** The first amount in which a reservation does not fit, or null; `isFinal` may draw on what is held back. */
export function findShortage(ledger: Ledger, wanted: Reservation, isFinal = false): ReservedAmount | null {
  for (const amount of RESERVED_AMOUNTS) {
    const quantity = wanted[amount];
    if (quantity !== undefined && quantity > available(ledger, amount, isFinal)) return amount;
  }
  return null;
}

/** What is left of an amount for new reservations. */
export function available(ledger: Ledger, amount: keyof Amounts, isFinal = false): number {
  const limit = ledger.limits[amount] - (isFinal ? 0 : ledger.heldBack[amount]);
  return limit - ledger.settled[amount] - ledger.reserved[amount] - ledger.promised[amount];
}

/** Takes a reservation. */
export function reserve(ledger: Ledger, wanted: Reservation): void {
  move(ledger.reserved, wanted, 1);
}

/** Gives a reservation back and books what was really used. */
export function settle(ledger: Ledger, reservation: Reservation, used: Reservation): void {
  move(ledger.reserved, reservation, -1);
  move(ledger.settled, used, 1);
}

/** Keeps an amount for a call that comes later. */
export function promise(ledger: Ledger, wanted: Reservation): void {
  move(ledger.promised, wanted, 1);
}

/** Gives back what was kept. */
export function release(ledger: Ledger, kept: Reservation): void {
  move(ledger.promised, kept, -1);
}

/** The ledger as the call sees it for which an amount was kept. */
export function withPromise(ledger: Ledger, kept: Reservation): Ledger {
  const promised = { ...ledger.promised };
  move(promised, kept, -1);
  return { ...ledger, promised };
}

/** Takes one tool call. */
export function reserveToolCall(ledger: Ledger): void {
  ledger.reserved.toolCalls++;
}

/** Gives a tool call back that was not made after all. */
export function releaseToolCall(ledger: Ledger): void {
  ledger.reserved.toolCalls--;
}

/** Books a tool call that had been taken: it counts whatever came of it. */
export function settleToolCall(ledger: Ledger): void {
  ledger.reserved.toolCalls--;
  ledger.settled.toolCalls++;
}

function move(amounts: Amounts, by: Reservation, sign: 1 | -1): void {
  if (by.tokens !== undefined) amounts.tokens += sign * by.tokens;
  if (by.toolCalls !== undefined) amounts.toolCalls += sign * by.toolCalls;
  if (by.llmCalls !== undefined) amounts.llmCalls += sign * by.llmCalls;
  if (by.costMicroUsd !== undefined) amounts.costMicroUsd += sign * by.costMicroUsd;
}
