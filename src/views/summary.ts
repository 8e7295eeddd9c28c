import { measurePressure } from '../budget/pressure.ts';
import type { BudgetDimension, BudgetMode } from '../contracts/budget.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeStatus } from '../run/node-state.ts';
import { readRun } from './read-run.ts';
import type { CallReading, NodeReading, RunReading, RunSource, RunStatus } from './run-reading.ts';

/** What the model calls of one role or of one model used. */
export interface UsageTotal {
  readonly name: string;
  /** Calls that were made, failed ones and those under way included. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where the price of a model is not known. */
  readonly costMicroUsd: number | null;
}

/** A run at a glance. Times are in epoch milliseconds, durations in milliseconds without downtime. */
export interface RunSummary {
  readonly runId: string;
  readonly name: string;
  readonly goal: string;
  readonly status: RunStatus;
  /** Why it ended as it did; null while it has not. */
  readonly reason: string | null;
  readonly startedAtMs: number;
  readonly lastEventAtMs: number;
  readonly elapsedMs: number;
  readonly planVersion: number | null;
  /** How many nodes are in each state; items of foreach nodes count by themselves. */
  readonly nodes: ReadonlyMap<NodeStatus, number>;
  readonly usageByRole: readonly UsageTotal[];
  readonly usageByModel: readonly UsageTotal[];
  readonly tokens: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Null where the price of a model is not known. */
  readonly costMicroUsd: number | null;
  readonly pressure: number;
  readonly pressureDimension: BudgetDimension;
  readonly mode: BudgetMode;
  readonly verdict: RunReading['verdict'];
  /** The value of the output node where the run ended with it. */
  readonly output: Json | null;
  /** What was written up where the output node is not done. */
  readonly partial: string | null;
}

/** One row of the table of nodes. Start and duration are milliseconds of running time. */
export interface NodeRow {
  readonly id: string;
  readonly tool: string;
  readonly status: NodeStatus;
  readonly attempts: number;
  readonly startMs: number | null;
  /** From the start of the first attempt to the end of the last, or to the end of the log while one is under way. */
  readonly durationMs: number | null;
  /** Error code of a node that failed. */
  readonly errorCode: string | null;
  /** Why a node was skipped or refused, or whose result it took. */
  readonly note: string | null;
  readonly argsHash: string | null;
}

/** Sums a run up; throws `log_corrupt` where the log does not begin with `run.started`. */
export function summarizeRun(source: RunSource): RunSummary {
  const reading = readRun(source);
  const { started, finished, calls, ledger } = reading;
  const { pressure, dimension } = measurePressure(ledger);
  const nodes = new Map<NodeStatus, number>();
  for (const { status } of reading.nodes.values()) nodes.set(status, (nodes.get(status) ?? 0) + 1);
  return {
    runId: started.runId,
    name: started.task.name,
    goal: started.goal,
    status: reading.status,
    reason: finished?.reason ?? null,
    startedAtMs: started.at,
    lastEventAtMs: reading.events.at(-1)?.at ?? started.at,
    elapsedMs: reading.elapsedMs,
    planVersion: reading.plan?.version ?? null,
    nodes,
    usageByRole: totalsBy(calls, (call) => call.role),
    usageByModel: totalsBy(calls, (call) => call.model),
    tokens: ledger.settled.tokens,
    modelCalls: calls.length,
    toolCalls: ledger.settled.toolCalls + ledger.reserved.toolCalls,
    costMicroUsd: hasUnknownCost(calls) ? null : ledger.settled.costMicroUsd,
    pressure,
    pressureDimension: dimension,
    mode: reading.mode,
    verdict: reading.verdict,
    output: outputOf(reading),
    partial: finished?.partial ?? null,
  };
}

/** The nodes of a run as rows: those of the last plan in its order, items after their node, then all others. */
export function nodeRows(source: RunSource): NodeRow[] {
  const reading = readRun(source);
  return orderNodes(reading).map((node) => toRow(node, reading));
}

function orderNodes({ nodes, plan }: RunReading): NodeReading[] {
  const ordered = new Set<NodeReading>();
  const add = (id: string): void => {
    const node = nodes.get(id);
    if (node === undefined) return;
    ordered.add(node);
    node.items.forEach(add);
  };
  for (const { id } of plan?.plan.nodes ?? []) add(id);
  for (const id of nodes.keys()) add(id);
  return [...ordered];
}

function toRow(node: NodeReading, { elapsedMs }: RunReading): NodeRow {
  const first = node.attempts[0];
  const last = node.attempts.at(-1);
  return {
    id: node.id,
    tool: node.plan.tool,
    status: node.status,
    attempts: node.attempts.length,
    startMs: first?.startMs ?? null,
    durationMs: first === undefined ? null : (last?.endMs ?? elapsedMs) - first.startMs,
    errorCode: node.status === 'done' ? null : (node.failure?.code ?? null),
    note: noteOf(node),
    argsHash: last?.argsHash ?? null,
  };
}

function noteOf(node: NodeReading): string | null {
  const ending = node.events.findLast(({ type }) => type.startsWith('node.'));
  if (ending?.type === 'node.skipped') {
    return ending.reason === 'dependency' ? `needs ${ending.dependency ?? '?'}` : ending.reason;
  }
  if (ending?.type === 'node.refused') return `${ending.by}: ${ending.reason}`;
  return ending?.type === 'node.reused' ? `same as ${ending.from}` : null;
}

function totalsBy(calls: readonly CallReading[], nameOf: (call: CallReading) => string): UsageTotal[] {
  const groups = new Map<string, CallReading[]>();
  for (const call of calls) {
    const group = groups.get(nameOf(call));
    if (group === undefined) groups.set(nameOf(call), [call]);
    else group.push(call);
  }
  return [...groups].map(([name, group]) => ({
    name,
    calls: group.length,
    inputTokens: sum(group, (call) => call.usage?.inputTokens),
    outputTokens: sum(group, (call) => call.usage?.outputTokens),
    costMicroUsd: hasUnknownCost(group) ? null : sum(group, (call) => call.costMicroUsd),
  }));
}

function hasUnknownCost(calls: readonly CallReading[]): boolean {
  return calls.some((call) => call.usage !== null && call.costMicroUsd === null);
}

function sum(
  calls: readonly CallReading[],
  amountOf: (call: CallReading) => number | null | undefined,
): number {
  return calls.reduce((total, call) => total + (amountOf(call) ?? 0), 0);
}

function outputOf({ finished, nodes }: RunReading): Json | null {
  return finished?.output === undefined ? null : (nodes.get(finished.output.node)?.value ?? null);
}
