import type { Failure } from '../contracts/failure.ts';
import { type AgentFlightType, isAgentEvent } from '../flight/events-of-agents.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { ATTRIBUTE, SEMCONV_VALUE, SPAN_EVENT } from './semconv.ts';
import type { Attributes, AttributeValue } from './span.ts';

/** A decision of the run as an event of a span. */
export interface SpanNote {
  readonly name: string;
  readonly attributes: Attributes;
  /** True where a run may have as many of them as nodes. */
  readonly isMinor: boolean;
}

const major = (name: string, attributes: Attributes): SpanNote => ({ name, attributes, isMinor: false });
const minor = (name: string, attributes: Attributes): SpanNote => ({ name, attributes, isMinor: true });

/** The note that an event leaves on a span; null where it shows as a span, or not at all. */
export function toSpanNote(event: FlightEvent, captureContent: boolean): SpanNote | null {
  if (isAgentEvent(event)) return toAgentNote(event);
  switch (event.type) {
    case 'plan.accepted':
      return major(SPAN_EVENT.planAccepted, {
        [ATTRIBUTE.planVersion]: event.version,
        [ATTRIBUTE.planHash]: event.hash,
        [ATTRIBUTE.planNodes]: event.plan.nodes.length,
      });
    case 'plan.rejected':
      return major(SPAN_EVENT.planRejected, {
        [ATTRIBUTE.planProblems]: event.problems.map((problem) => problem.code),
      });
    case 'replan.started':
      return major(SPAN_EVENT.replanStarted, {
        [ATTRIBUTE.replanReason]: event.reason,
        [ATTRIBUTE.replanFailed]: event.failed,
      });
    case 'level.started':
      return minor(SPAN_EVENT.levelStarted, {
        [ATTRIBUTE.levelNumber]: event.level,
        [ATTRIBUTE.levelNodes]: event.nodes,
      });
    case 'pressure.changed':
      return major(SPAN_EVENT.pressureChanged, {
        [ATTRIBUTE.budgetMode]: event.mode,
        [ATTRIBUTE.budgetPressure]: event.pressure,
        [ATTRIBUTE.budgetDimension]: event.dimension,
      });
    case 'budget.overrun':
      return major(SPAN_EVENT.budgetOverrun, {
        [ATTRIBUTE.effectKey]: event.key,
        [ATTRIBUTE.budgetDimension]: event.dimension,
        [ATTRIBUTE.budgetReserved]: event.reserved,
        [ATTRIBUTE.budgetUsed]: event.used,
      });
    case 'model.refused':
      return major(SPAN_EVENT.modelRefused, {
        [ATTRIBUTE.effectKey]: event.key,
        [ATTRIBUTE.role]: event.role,
        [ATTRIBUTE.budgetDimension]: event.dimension,
      });
    case 'node.expanded':
      return minor(SPAN_EVENT.nodeExpanded, {
        [ATTRIBUTE.nodeId]: event.node,
        [ATTRIBUTE.foreachItems]: event.items,
      });
    case 'node.reused':
      return minor(SPAN_EVENT.nodeReused, {
        [ATTRIBUTE.nodeId]: event.node,
        [ATTRIBUTE.nodeFrom]: event.from,
      });
    case 'node.amended':
      return nodeAmended(event.node, event.by);
    case 'node.hooked':
      if (event.failure !== undefined) return nodeFailed(event.node, event.failure);
      return event.args === undefined ? null : nodeAmended(event.node, 'hook');
    case 'node.failed':
      return nodeFailed(event.node, event.failure);
    case 'node.skipped':
      return minor(SPAN_EVENT.nodeSkipped, {
        [ATTRIBUTE.nodeId]: event.node,
        [ATTRIBUTE.nodeReason]: event.reason,
        ...(event.dependency === undefined ? {} : { [ATTRIBUTE.nodeDependency]: event.dependency }),
      });
    case 'node.refused':
      return minor(SPAN_EVENT.nodeRefused, {
        [ATTRIBUTE.nodeId]: event.node,
        [ATTRIBUTE.nodeReason]: event.by,
      });
    case 'retry.scheduled':
      return minor(SPAN_EVENT.retryScheduled, {
        [ATTRIBUTE.effectKey]: event.key,
        [ATTRIBUTE.retryDelayMs]: event.delayMs,
      });
    case 'approval.requested':
      return minor(SPAN_EVENT.approvalRequested, {
        ...askedAbout(event),
        [ATTRIBUTE.toolName]: event.tool,
        [ATTRIBUTE.argsDigest]: event.argsHash,
      });
    case 'approval.decided':
      return minor(SPAN_EVENT.approvalDecided, {
        ...askedAbout(event),
        [ATTRIBUTE.approvalDecision]: event.decision,
        [ATTRIBUTE.approvalBy]: event.by,
      });
    case 'ask.failed':
      return major(SPAN_EVENT.askFailed, {
        [ATTRIBUTE.effectKey]: event.key,
        [ATTRIBUTE.errorType]: event.failure.code,
        [ATTRIBUTE.failureClass]: event.failure.class,
      });
    case 'fallback.chosen':
      return major(SPAN_EVENT.fallbackChosen, {
        [ATTRIBUTE.effectKey]: event.key,
        [ATTRIBUTE.fallbackFrom]: event.from,
        [ATTRIBUTE.fallbackTo]: event.to,
        [ATTRIBUTE.errorType]: event.reason,
      });
    case 'credential.requested':
      return minor(SPAN_EVENT.credentialRequested, { [ATTRIBUTE.providerName]: event.provider });
    case 'credential.refreshed':
      return minor(SPAN_EVENT.credentialRefreshed, {
        [ATTRIBUTE.providerName]: event.provider,
        ...(event.failure === undefined ? {} : { [ATTRIBUTE.errorType]: event.failure.code }),
      });
    case 'model.warned':
      return minor(SPAN_EVENT.modelWarned, { [ATTRIBUTE.effectKey]: event.key });
    case 'ask.reused':
      return minor(SPAN_EVENT.askReused, { [ATTRIBUTE.effectKey]: event.key });
    case 'tool.logged':
      return minor(SPAN_EVENT.toolLogged, captureContent ? { [ATTRIBUTE.message]: event.message } : {});
    case 'verdict.reached':
      return major(SPAN_EVENT.evaluationResult, verdictAttributes(event.verdict, captureContent));
    case 'cancel.requested':
      return major(SPAN_EVENT.cancelRequested, {});
    case 'run.interrupted':
      return major(SPAN_EVENT.runInterrupted, {});
    case 'run.resumed':
      return major(SPAN_EVENT.runResumed, { [ATTRIBUTE.rulesVersion]: event.rules });
    case 'run.forked':
      return major(SPAN_EVENT.runForked, { [ATTRIBUTE.rulesVersion]: event.rules });
    case 'run.started':
    case 'run.finished':
    case 'catalogue.published':
    case 'memory.requested':
    case 'memory.recalled':
    case 'model.requested':
    case 'model.answered':
    case 'model.failed':
    case 'ask.received':
    case 'hooks.requested':
    case 'node.started':
    case 'node.done':
    case 'node.joined':
    case 'node.cancelled':
    case 'attempt.failed':
    case 'check.called':
    case 'check.returned':
    case 'timer.fired':
      return null;
  }
}

function nodeFailed(node: string, failure: Failure): SpanNote {
  return minor(SPAN_EVENT.nodeFailed, {
    [ATTRIBUTE.nodeId]: node,
    [ATTRIBUTE.errorType]: failure.code,
    [ATTRIBUTE.failureClass]: failure.class,
  });
}

function nodeAmended(node: string, by: string): SpanNote {
  return minor(SPAN_EVENT.nodeAmended, { [ATTRIBUTE.nodeId]: node, [ATTRIBUTE.amendedBy]: by });
}

function callRefused(key: string, failure: Failure): SpanNote {
  return minor(SPAN_EVENT.callRefused, { [ATTRIBUTE.effectKey]: key, [ATTRIBUTE.errorType]: failure.code });
}

function callAmended(key: string, by: string): SpanNote {
  return minor(SPAN_EVENT.callAmended, { [ATTRIBUTE.effectKey]: key, [ATTRIBUTE.amendedBy]: by });
}

/** What a person is asked about: a node, or the call of an agent. */
function askedAbout({
  node,
  call,
}: {
  readonly node: string;
  readonly call?: string | undefined;
}): Attributes {
  return call === undefined ? { [ATTRIBUTE.nodeId]: node } : { [ATTRIBUTE.effectKey]: call };
}

function toAgentNote(event: EventOf<AgentFlightType>): SpanNote | null {
  switch (event.type) {
    case 'agent.stopped':
      return minor(SPAN_EVENT.agentStopped, {
        [ATTRIBUTE.effectKey]: event.agent,
        [ATTRIBUTE.agentReason]: event.reason,
      });
    case 'agent.interrupted':
      return minor(SPAN_EVENT.agentInterrupted, { [ATTRIBUTE.effectKey]: event.agent });
    case 'context.compressed':
      return minor(SPAN_EVENT.contextCompressed, { [ATTRIBUTE.effectKey]: event.agent });
    case 'call.amended':
      return callAmended(event.key, event.by);
    case 'call.hooked':
      if (event.failure !== undefined) return callRefused(event.key, event.failure);
      return event.args === undefined ? null : callAmended(event.key, 'hook');
    case 'call.refused':
      return callRefused(event.key, event.failure);
    case 'turn.read':
      return event.kind === 'unreadable'
        ? minor(SPAN_EVENT.turnUnreadable, {
            [ATTRIBUTE.effectKey]: event.agent,
            [ATTRIBUTE.agentRound]: event.round,
          })
        : null;
    case 'message.received':
    case 'agent.started':
    case 'agent.requested':
    case 'agent.briefed':
    case 'agent.recalled':
    case 'agent.finished':
    case 'round.started':
    case 'round.observed':
    case 'round.ended':
    case 'call.started':
    case 'call.returned':
    case 'call.failed':
    case 'call.answered':
    case 'compression.started':
    case 'compression.failed':
    case 'figures.kept':
      return null;
  }
}

function verdictAttributes(
  verdict: EventOf<'verdict.reached'>['verdict'],
  captureContent: boolean,
): Attributes {
  const attributes: Record<string, AttributeValue> = {
    [ATTRIBUTE.evaluationName]: SEMCONV_VALUE.evaluationName,
    [ATTRIBUTE.evaluationScoreLabel]: verdict.outcome,
    [ATTRIBUTE.verdictTier]: verdict.tier,
  };
  if (verdict.score !== undefined) attributes[ATTRIBUTE.evaluationScoreValue] = verdict.score;
  const failed = verdict.checks.filter((check) => !check.ok).map((check) => check.name);
  if (failed.length > 0) attributes[ATTRIBUTE.verdictFailedChecks] = failed;
  if (captureContent && verdict.reasons.length > 0) {
    attributes[ATTRIBUTE.evaluationExplanation] = verdict.reasons.join('\n');
  }
  return attributes;
}
