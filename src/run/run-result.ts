import type { Failure } from '../contracts/failure.ts';
import type { Verdict } from '../contracts/verdict.ts';
import { ERROR_CODES } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeStatus } from './node-state.ts';
import type { Inheritance, RunState } from './state.ts';

/** How a run ended. */
export type RunStatus =
  | 'verified'
  | 'unverified'
  | 'planned'
  | 'failed'
  | 'rejected'
  | 'indeterminate'
  | 'budget'
  | 'waiting'
  | 'interrupted';

/** The result of a run: what it found, how it was verified, and what it took. */
export interface RunResult {
  readonly runId: string;
  /** The folder of the run; null where it was kept in memory. */
  readonly folder: string | null;
  readonly status: RunStatus;
  readonly exitCode: number;
  /** Why the run ended as it did, in words. */
  readonly reason: string;
  /** The value of the output node; null where it is not done. */
  readonly answer: Json;
  /** What was found, where there is no answer. */
  readonly partial?: string;
  readonly verdict: Verdict | null;
  readonly failure?: Failure;
  /** What went wrong after the run had ended, such as a file that could not be written. */
  readonly warnings?: readonly string[];
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** Tokens booked beside those, of calls that may have been charged and whose figures are not known. */
    readonly assumedTokens?: number;
    readonly llmCalls: number;
    readonly toolCalls: number;
    /** Null where a model without a known price was called. */
    readonly costUsd: number | null;
    readonly wallSeconds: number;
  };
  /** What the run had spent from which this one was forked off; it is not in `usage`. */
  readonly inherited?: {
    readonly origin: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly llmCalls: number;
    readonly toolCalls: number;
  };
  readonly nodes: readonly {
    readonly id: string;
    readonly tool: string;
    readonly state: NodeStatus;
    readonly attempts: number;
    readonly error?: string;
  }[];
}

const EXIT_CODES: Record<RunStatus, number> = {
  verified: 0,
  unverified: 0,
  planned: 0,
  failed: 1,
  rejected: 3,
  indeterminate: 3,
  budget: 4,
  waiting: 5,
  interrupted: 130,
};

/** The result that a state stands for; of a run that is not over it is that of an interrupted one. */
export function toRunResult(state: RunState, folder: string | null): RunResult {
  const { finished } = state;
  const status = finished?.status ?? 'interrupted';
  const failure = finished?.failure;
  const rejected = finished?.output?.digest === state.rejected?.digest ? state.rejected : null;
  return {
    runId: state.runId,
    folder,
    status,
    exitCode:
      status === 'failed' && failure !== undefined ? ERROR_CODES[failure.code].exit : EXIT_CODES[status],
    reason: finished?.reason ?? 'ended early; it can be resumed',
    answer: rejected?.value ?? answerOf(state),
    ...(finished?.partial === undefined ? {} : { partial: finished.partial }),
    verdict: (state.verdict ?? rejected?.verdict ?? null) as Verdict | null,
    ...(failure === undefined ? {} : { failure }),
    usage: toUsage(state),
    ...(state.inherited === null ? {} : { inherited: toInherited(state.inherited) }),
    nodes: state.order.map((node) => ({
      id: node.id,
      tool: node.tool.name,
      state: node.status,
      attempts: node.attempt,
      ...(node.failure === null ? {} : { error: `${node.failure.code}: ${node.failure.message}` }),
    })),
  };
}

function answerOf({ finished, nodes }: RunState): Json {
  return finished?.output === undefined ? null : (nodes.get(finished.output.node)?.value ?? null);
}

function toUsage(state: RunState): RunResult['usage'] {
  const { settled } = state.ledger;
  const { input, output } = state.usedTokens;
  const assumed = settled.tokens - input - output;
  return {
    inputTokens: input,
    outputTokens: output,
    ...(assumed > 0 ? { assumedTokens: assumed } : {}),
    llmCalls: settled.llmCalls,
    toolCalls: settled.toolCalls,
    costUsd: state.hasUnknownCost ? null : settled.costMicroUsd / 1e6,
    wallSeconds: Math.round(settled.wallMs) / 1000,
  };
}

function toInherited({ origin, settled, usedTokens }: Inheritance): NonNullable<RunResult['inherited']> {
  const { llmCalls, toolCalls } = settled;
  return { origin, inputTokens: usedTokens.input, outputTokens: usedTokens.output, llmCalls, toolCalls };
}
