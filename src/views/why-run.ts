import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { RunReading, RunStatus } from './run-reading.ts';
import { describeAgentEvent, isOfAgent } from './why-agent.ts';
import { describeCauses, describeStop } from './why-causes.ts';
import { countOf, describeFailure, describeVerdict, enumerate, type Fact, quote } from './why-words.ts';

const MAX_FAILED_NODES = 20;

const STATUS_WORDS: Record<RunStatus, string> = {
  verified: 'is verified',
  unverified: 'ended unverified',
  failed: 'failed',
  rejected: 'was rejected by the critic',
  indeterminate: 'ended without a verdict that could be obtained',
  budget: 'was stopped by its budget',
  waiting: 'waits for a person',
  interrupted: 'was interrupted and can be resumed',
  planned: 'was planned and not run',
  unfinished: 'has no ending: its process died, and it can be resumed',
  running: 'has no ending in its log: it still runs, or its process died',
};

/** Why a run ended as it did: its turning points, then what its output lacked, down to the causes. */
export function describeRun(reading: RunReading): Fact[] {
  const { started, status, finished } = reading;
  const reason = finished === null ? '' : `: ${finished.reason}`;
  return [
    { seq: finished?.seq ?? null, text: `run ${started.runId} ${STATUS_WORDS[status]}${reason}` },
    ...turningPoints(reading.events),
    ...describeOutput(reading),
    ...describeWaiting(reading),
  ];
}

function turningPoints(events: readonly FlightEvent[]): Fact[] {
  const facts: Fact[] = [];
  let failedNodes = 0;
  for (const event of events) {
    if (event.type === 'node.failed' && ++failedNodes > MAX_FAILED_NODES) continue;
    const text = describeTurn(event);
    if (text !== null) facts.push({ seq: event.seq, text });
  }
  if (failedNodes > MAX_FAILED_NODES) {
    facts.push({ seq: null, text: `${failedNodes - MAX_FAILED_NODES} more nodes failed` });
  }
  return facts;
}

function describeTurn(event: FlightEvent): string | null {
  if (isOfAgent(event)) return describeAgentEvent(event);
  switch (event.type) {
    case 'plan.accepted': {
      const kept = event.kept.length === 0 ? '' : `, keeping the results of ${enumerate(event.kept)}`;
      return `plan ${event.version} was accepted: ${countOf(event.plan.nodes.length, 'node')}${kept}`;
    }
    case 'plan.rejected': {
      const [first, ...others] = event.problems;
      if (first === undefined) return 'a plan was refused';
      const where = first.node === undefined ? '' : ` at ${quote(first.node)}`;
      const rest = others.length === 0 ? '' : `, and ${others.length} more`;
      return `a plan was refused: ${first.code}${where}: ${first.message}${rest}`;
    }
    case 'replan.started': {
      const cause = event.reason === 'verdict' ? 'of the verdict' : `${enumerate(event.failed)} failed`;
      return `the rest of the plan was drawn anew, because ${cause}`;
    }
    case 'model.failed':
      return event.failure.class === 'TRANSIENT'
        ? null
        : `the model call ${event.key} failed: ${describeFailure(event.failure)}`;
    case 'memory.recalled':
      return describeRecalled(event);
    case 'node.failed':
      return `${quote(event.node)} failed: ${describeFailure(event.failure)}`;
    case 'node.amended':
      return event.by === 'revision' ? `the critic sent ${quote(event.node)} back` : null;
    case 'verdict.reached':
      return `the critic judged ${quote(event.node)}: ${describeVerdict(event.verdict)}`;
    case 'run.interrupted':
      return 'the run was interrupted';
    case 'run.resumed':
      return 'another process took the run up';
    case 'run.forked':
      return `what came before is of run ${event.origin}, from which this one was forked off`;
    case 'pressure.changed':
    case 'budget.overrun':
    case 'model.refused':
    case 'node.refused':
    case 'cancel.requested':
      return describeStop(event);
    case 'run.started':
    case 'run.finished':
    case 'catalogue.published':
    case 'model.requested':
    case 'model.answered':
    case 'ask.received':
    case 'ask.failed':
    case 'ask.reused':
    case 'model.warned':
    case 'fallback.chosen':
    case 'credential.requested':
    case 'credential.refreshed':
    case 'level.started':
    case 'node.expanded':
    case 'node.started':
    case 'node.done':
    case 'node.reused':
    case 'node.joined':
    case 'node.skipped':
    case 'node.cancelled':
    case 'attempt.failed':
    case 'retry.scheduled':
    case 'hooks.requested':
    case 'node.hooked':
    case 'approval.requested':
    case 'approval.decided':
    case 'memory.requested':
    case 'check.called':
    case 'check.returned':
    case 'tool.logged':
    case 'timer.fired':
      return null;
  }
}

/** What a planner was shown of earlier runs, and what kept any call from being shown anything. */
function describeRecalled({ key, included, warnings }: EventOf<'memory.recalled'>): string | null {
  const runs = new Set(included.flatMap(({ from }) => from.run ?? []));
  const from = runs.size === 0 ? '' : ` of ${enumerate([...runs])}`;
  const shown = `the planner was shown ${countOf(included.length, 'memory', 'memories')}${from}`;
  const isTold = included.length > 0 && key.startsWith('memory/plan/');
  const said = [...(isTold ? [shown] : []), ...warnings.map((warning) => `memory: ${warning}`)];
  return said.length === 0 ? null : said.join('; ');
}

function describeOutput(reading: RunReading): Fact[] {
  const id = reading.plan?.plan.output;
  const node = id === undefined ? undefined : reading.nodes.get(id);
  if (node === undefined || node.status === 'done') return [];
  const skipped = node.events.findLast(({ type }) => type === 'node.skipped');
  const because =
    skipped?.type === 'node.skipped' && skipped.dependency !== undefined
      ? `, because it needs ${quote(skipped.dependency)}`
      : '';
  return [
    { seq: skipped?.seq ?? null, text: `the output node ${quote(node.id)} is ${node.status}${because}` },
    ...describeCauses(reading, node),
  ];
}

function describeWaiting(reading: RunReading): Fact[] {
  if (reading.status !== 'waiting') return [];
  const facts: Fact[] = [];
  for (const node of reading.nodes.values()) {
    if (node.status !== 'waiting') continue;
    const request = node.events.findLast(({ type }) => type === 'approval.requested');
    facts.push({
      seq: request?.seq ?? null,
      text: `${quote(node.id)} (${node.plan.tool}) waits for approval`,
    });
  }
  return facts;
}
