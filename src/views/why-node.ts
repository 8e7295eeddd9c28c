import type { EventOf, FlightEvent } from '../flight/events.ts';
import { formatDuration } from './format-amounts.ts';
import type { NodeReading, RunReading } from './run-reading.ts';
import { describeAgentEvent, describeCallQuestion, isOfAgent } from './why-agent.ts';
import {
  countOf,
  describeFailure,
  describeReported,
  describeVerdict,
  enumerate,
  type Fact,
  quote,
} from './why-words.ts';

/** What happened to a node, event by event; the first line says how it stands. */
export function describeNode(reading: RunReading, node: NodeReading): Fact[] {
  const history = [...node.events, ...replansFor(reading, node)].sort((a, b) => a.seq - b.seq);
  const facts: Fact[] = [{ seq: null, text: `${quote(node.id)} (${node.plan.tool}) is ${node.status}` }];
  if (node.itemOf !== null) {
    const place = (reading.nodes.get(node.itemOf)?.items ?? []).indexOf(node.id) + 1;
    facts.push({ seq: null, text: `it is item ${place} of the list that ${quote(node.itemOf)} runs over` });
  }
  const startedAt = new Map<number, number>();
  for (const event of history) {
    if (event.type === 'node.started') startedAt.set(event.attempt, event.at);
    const text = describeEvent(event, node, startedAt);
    if (text !== null) facts.push({ seq: event.seq, text });
  }
  return facts;
}

function replansFor(reading: RunReading, node: NodeReading): FlightEvent[] {
  return reading.events.filter((event) => event.type === 'replan.started' && event.failed.includes(node.id));
}

function describeEvent(
  event: FlightEvent,
  node: NodeReading,
  startedAt: ReadonlyMap<number, number>,
): string | null {
  const took = (attempt: number): string => {
    const start = startedAt.get(attempt);
    return start === undefined ? '' : ` after ${formatDuration(event.at - start)}`;
  };
  if (isOfAgent(event)) return describeAgentEvent(event);
  switch (event.type) {
    case 'plan.accepted':
      return describePlan(event, node);
    case 'node.expanded':
      return `it became ${countOf(event.items, 'node')}, one for each item`;
    case 'node.started':
      return event.agent === undefined
        ? `attempt ${event.attempt} started`
        : `attempt ${event.attempt} was handed to an agent${event.agent === 'code' ? ' that does it by code' : ''}`;
    case 'attempt.failed': {
      const lingering = event.lingering === true ? '; its code had not returned when its grace ended' : '';
      return `attempt ${event.attempt} failed${took(event.attempt)}: ${describeReported(event.failure)}${lingering}`;
    }
    case 'retry.scheduled':
      return `it is tried again in ${formatDuration(event.delayMs)}`;
    case 'model.requested':
      return event.role === 'repairer' ? 'a model is asked to repair its arguments' : null;
    case 'model.refused':
      return `a ${event.role} call for it does not fit what is left (${event.dimension}) and was not made`;
    case 'ask.received':
      return `attempt ${event.attempt} asks a model as ${event.role}`;
    case 'node.amended':
      return describeAmendment(event);
    case 'node.hooked':
      if (event.failure !== undefined) return `a hook blocked it: ${event.failure.message}`;
      if (event.args !== undefined) return `a hook changed it to ${JSON.stringify(event.args)}`;
      return event.value === undefined ? null : 'a hook gave it another result';
    case 'approval.requested':
      if (event.call !== undefined) return describeCallQuestion(event);
      return event.question !== 'in_doubt'
        ? 'it waits for the approval of a person'
        : 'nobody knows what became of its call; it waits for a person to say';
    case 'approval.decided':
      return `${event.by} ${event.decision} ${event.call === undefined ? 'it' : `the call ${event.call}`}${event.reason === undefined ? '' : `: ${event.reason}`}`;
    case 'node.done':
      return `attempt ${event.attempt} gave its result${took(event.attempt)}`;
    case 'node.reused':
      return `it took the result of ${quote(event.from)}, a call with the same arguments`;
    case 'node.joined':
      return 'all its items had ended; its result is the list of theirs';
    case 'node.failed':
      return `it failed: ${describeFailure(event.failure)}`;
    case 'node.skipped':
      return event.dependency === undefined
        ? `it was skipped: ${event.reason === 'pressure' ? 'it is optional, and the budget was pressed' : 'the run had stopped'}`
        : `it was skipped, because it needs ${quote(event.dependency)}, which gave no result`;
    case 'node.refused':
      return `it was refused by the ${event.by}: ${event.reason}`;
    case 'node.cancelled':
      return `attempt ${event.attempt} was cancelled with the run${took(event.attempt)}`;
    case 'verdict.reached':
      return `the critic judged its result: ${describeVerdict(event.verdict)}`;
    case 'tool.logged':
      return `it said: ${event.message}`;
    case 'replan.started':
      return 'the rest of the plan was drawn anew because of it';
    case 'run.started':
    case 'run.finished':
    case 'run.interrupted':
    case 'run.resumed':
    case 'run.forked':
    case 'catalogue.published':
    case 'model.answered':
    case 'model.failed':
    case 'ask.failed':
    case 'ask.reused':
    case 'model.warned':
    case 'fallback.chosen':
    case 'credential.requested':
    case 'credential.refreshed':
    case 'plan.rejected':
    case 'level.started':
    case 'pressure.changed':
    case 'budget.overrun':
    case 'memory.requested':
    case 'memory.recalled':
    case 'check.called':
    case 'check.returned':
    case 'cancel.requested':
    case 'timer.fired':
    case 'hooks.requested':
      return null;
  }
}

function describePlan(event: EventOf<'plan.accepted'>, node: NodeReading): string {
  const plan = `plan ${event.version}`;
  if (event.superseded.includes(node.id)) return `${plan} does without it`;
  if (event.kept.includes(node.id)) return `${plan} keeps its result`;
  const planned = event.plan.nodes.find(({ id }) => id === node.id);
  const deps = planned?.deps ?? [];
  const role = event.plan.output === node.id ? ' and makes it the output' : '';
  const optional = planned?.optional === true ? ', and may fail' : '';
  const needs = deps.length === 0 ? 'it needs no other node' : `it needs ${enumerate(deps)}`;
  return `${plan} calls for it${role}; ${needs}${optional}`;
}

function describeAmendment(event: EventOf<'node.amended'>): string {
  const reasons = event.reasons.length === 0 ? '' : `: ${event.reasons.join('; ')}`;
  switch (event.by) {
    case 'repair':
      return `a model repaired its arguments${reasons}`;
    case 'revision':
      return `the critic sent it back${reasons}`;
    case 'person':
      return `a person changed it${reasons}`;
    case 'hook':
      return `a hook changed it${reasons}`;
  }
}
