import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { NodeReading, RunReading } from './run-reading.ts';
import { describeFailure, type Fact, quote } from './why-words.ts';

type Skip = EventOf<'node.skipped'>;

/** What kept a node from its result, one node after the other, down to the first cause. */
export function describeCauses(reading: RunReading, node: NodeReading): Fact[] {
  const facts: Fact[] = [];
  const seen = new Set<string>();
  for (let current: NodeReading | undefined = node; current !== undefined && !seen.has(current.id);) {
    seen.add(current.id);
    const cause: { facts: Fact[]; next: NodeReading | undefined } = causeOf(reading, current);
    facts.push(...cause.facts);
    current = cause.next;
  }
  return facts;
}

function causeOf(reading: RunReading, node: NodeReading): { facts: Fact[]; next: NodeReading | undefined } {
  const ending = node.events.findLast((event) => event.type.startsWith('node.'));
  if (ending?.type === 'node.skipped') {
    if (ending.reason !== 'dependency') return { facts: causesOfStop(reading, ending), next: undefined };
    const next = ending.dependency === undefined ? undefined : reading.nodes.get(ending.dependency);
    return { facts: next === undefined ? [] : [describeEnding(next, ending.seq)], next };
  }
  if (node.status !== 'failed') return { facts: [], next: undefined };
  const failed = node.items.map((id) => reading.nodes.get(id)).find((item) => item?.status === 'failed');
  return { facts: failed === undefined ? [] : [describeEnding(failed, Infinity)], next: failed };
}

/** How a node ended, as of an event that names it as the reason. */
function describeEnding(node: NodeReading, beforeSeq: number): Fact {
  const ending = node.events.findLast(
    ({ type, seq }) => seq < beforeSeq && type.startsWith('node.') && type !== 'node.started',
  );
  const name = quote(node.id);
  const text = ending === undefined ? null : describeEnd(ending, name);
  return text === null ? { seq: null, text: `${name} has no result` } : { seq: ending?.seq ?? null, text };
}

function describeEnd(ending: FlightEvent, name: string): string | null {
  if (ending.type === 'node.failed') return `${name} had failed: ${describeFailure(ending.failure)}`;
  if (ending.type === 'node.refused') return `${name} had been refused by the ${ending.by}: ${ending.reason}`;
  if (ending.type === 'node.cancelled') return `${name} had been cancelled with the run`;
  if (ending.type !== 'node.skipped') return null;
  const reason =
    ending.dependency === undefined ? `: ${ending.reason}` : `, as it needs ${quote(ending.dependency)}`;
  return `${name} had been skipped${reason}`;
}

function causesOfStop(reading: RunReading, skip: Skip): Fact[] {
  const cause = reading.events.findLast((event) => event.seq < skip.seq && isStop(event, skip.reason));
  const text = cause === undefined ? null : describeStop(cause);
  return cause === undefined || text === null ? [] : [{ seq: cause.seq, text }];
}

function isStop(event: FlightEvent, reason: Skip['reason']): boolean {
  if (reason === 'pressure') return event.type === 'pressure.changed';
  return describeStop(event) !== null && (event.type !== 'pressure.changed' || event.mode === 'stopped');
}

/** What a decision that limits or ends a run says; null for any other event. */
export function describeStop(event: FlightEvent): string | null {
  if (event.type === 'pressure.changed') {
    const share = `${Math.round(event.pressure * 100)} % of its ${event.dimension}`;
    return `the run had used ${share} and went on in mode ${event.mode}`;
  }
  if (event.type === 'budget.overrun') {
    const { key, used, reserved, dimension } = event;
    return `${key} used ${used} of ${reserved} reserved ${dimension}: no new call is made`;
  }
  if (event.type === 'model.refused') {
    return `the ${event.role} call ${event.key} does not fit what is left (${event.dimension}) and was not made`;
  }
  if (event.type === 'node.refused') {
    return `${quote(event.node)} was refused by the ${event.by}: ${event.reason}`;
  }
  return event.type === 'cancel.requested' ? `the run was asked to end: ${event.reason}` : null;
}
