import type { Failure } from '../../contracts/failure.ts';
import type { EventOf } from '../../flight/events.ts';
import { resolveArgs } from '../../dag/references.ts';
import { atPointer, type Json } from '../../kernel/json.ts';
import type { NodeReading, RunReading } from '../run-reading.ts';
import { describeCauses } from '../why-causes.ts';
import { describeNode } from '../why-node.ts';
import type { Fact } from '../why-words.ts';
import type { PageModel } from './page-model.ts';
import type { AgentReading, CallTry } from './waterfall-rows.ts';

/** What is shown of one node. */
export interface NodeDetail {
  readonly node: NodeReading;
  /** With the results that they refer to in place, as far as they are there. */
  readonly args: Json;
  /** Who changed the arguments last; null where they are those of the plan. */
  readonly amendedBy: EventOf<'node.amended'>['by'] | null;
  /** Undefined where there is none. */
  readonly result: Json | undefined;
  readonly failures: readonly Failure[];
  readonly calls: readonly CallTry[];
  /** The agents that do its work, the children of those included. */
  readonly agents: readonly AgentReading[];
  readonly dependents: readonly string[];
  readonly history: readonly Fact[];
}

/** Everything about one node; null where the run does not know it. */
export function describeNodeDetail({ reading, waterfall }: PageModel, id: string): NodeDetail | null {
  const node = reading.nodes.get(id);
  if (node === undefined) return null;
  const amendment = node.events.findLast(
    (event): event is EventOf<'node.amended' | 'node.hooked'> =>
      (event.type === 'node.amended' || event.type === 'node.hooked') && event.args !== undefined,
  );
  const failures = node.events.flatMap((event) =>
    event.type === 'attempt.failed' || event.type === 'node.failed' ? [event.failure] : [],
  );
  return {
    node,
    args: (amendment?.args as Json | undefined) ?? argsOf(reading, node),
    amendedBy: amendment?.type === 'node.hooked' ? 'hook' : (amendment?.by ?? null),
    result: node.value,
    failures: failures.filter(
      (failure, index) => failures.findIndex(({ message }) => message === failure.message) === index,
    ),
    calls: [...waterfall.calls.values()].flat().filter((call) => call.node === id),
    agents: [...waterfall.agents.values()].filter((agent) => agent.node === id),
    dependents: dependentsOf(reading, id),
    history: [...describeNode(reading, node).slice(1), ...describeCauses(reading, node)],
  };
}

function argsOf(reading: RunReading, { plan, itemOf, id }: NodeReading): Json {
  const areSettled = plan.deps.every((dependency) => isSettled(reading.nodes.get(dependency)));
  if (!areSettled || (plan.foreach !== undefined && itemOf === null)) return plan.args;
  const lookUp = (from: string): Json => reading.nodes.get(from)?.value ?? null;
  const index = itemOf === null ? -1 : (reading.nodes.get(itemOf)?.items ?? []).indexOf(id);
  const resolved = resolveArgs(
    plan.args,
    lookUp,
    index < 0 ? undefined : itemAt(plan.foreach, index, lookUp),
  );
  return resolved.ok ? resolved.args : plan.args;
}

/** An optional node that ended without a result counts as null. */
function isSettled(node: NodeReading | undefined): boolean {
  if (node === undefined) return false;
  return node.value !== undefined || ['failed', 'skipped', 'refused', 'cancelled'].includes(node.status);
}

function itemAt(
  foreach: NodeReading['plan']['foreach'],
  index: number,
  lookUp: (id: string) => Json,
): Json | undefined {
  if (foreach === undefined) return undefined;
  const list = atPointer(lookUp(foreach.$ref), foreach.path ?? '');
  return Array.isArray(list) ? (list as readonly Json[])[index] : undefined;
}

function dependentsOf(reading: RunReading, id: string): string[] {
  const nodes = reading.plan?.plan.nodes ?? [];
  return nodes.flatMap((node) => (node.deps.includes(id) ? [node.id] : []));
}
