import { type AgentFlightType, isAgentEvent } from '../flight/events-of-agents.ts';
import type { FlightEvent } from '../flight/events.ts';
import { countOf, describeReported, quote } from './why-words.ts';

/** An event that only agents and their sessions have. */
export type AgentFlightEvent = Extract<FlightEvent, { type: AgentFlightType }>;

/** True for an event that only agents and their sessions have. */
export function isOfAgent(event: FlightEvent): event is AgentFlightEvent {
  return isAgentEvent(event);
}

/** What a person is asked about a call of an agent, in a sentence. */
export function describeCallQuestion({
  call = '',
  tool,
  question,
}: Extract<FlightEvent, { type: 'approval.requested' }>): string {
  const name = `the call ${call} (${tool})`;
  switch (question) {
    case 'answer':
      return `${name} waits for the answer of a person`;
    case 'in_doubt':
      return `nobody knows what became of ${name}; it waits for a person to say`;
    case 'consent':
    case 'plan':
      return `${name} waits for the approval of a person`;
  }
}

/** What happened to an agent, in a sentence; null for what only leads on to the next event. */
export function describeAgentEvent(event: AgentFlightEvent): string | null {
  switch (event.type) {
    case 'message.received':
      return 'a person said something';
    case 'agent.started': {
      const what = event.parent === undefined ? '' : `, handed on by ${quote(event.parent)}`;
      return `the agent ${quote(event.agent)} began${what}: ${countOf(event.grant.tools.length, 'tool')}, ${countOf(event.grant.iterations, 'turn')} at most`;
    }
    case 'turn.read':
      return event.kind === 'unreadable'
        ? `a turn of ${quote(event.agent)} could not be read, so nothing of it was run: ${event.problem ?? ''}`
        : null;
    case 'call.failed':
      return `the call ${event.key} failed: ${describeReported(event.failure)}`;
    case 'call.amended':
      return `a hook changed the arguments of the call ${event.key} to ${JSON.stringify(event.args)}`;
    case 'call.hooked':
      if (event.failure !== undefined)
        return `a hook blocked the call ${event.key}: ${event.failure.message}`;
      if (event.args !== undefined)
        return `a hook changed the arguments of the call ${event.key} to ${JSON.stringify(event.args)}`;
      return event.value === undefined ? null : `a hook gave the call ${event.key} another result`;
    case 'call.refused':
      return `the call ${event.key} was not made: ${event.failure.message}`;
    case 'context.compressed':
      return `the history of ${quote(event.agent)} was made shorter: ${event.before} messages became ${event.after}`;
    case 'compression.failed':
      return `the history of ${quote(event.agent)} stayed as it was: ${event.reason}`;
    case 'agent.stopped':
      return `the agent ${quote(event.agent)} went no further: ${event.reason}${event.detail === '' ? '' : ` (${event.detail})`}`;
    case 'agent.interrupted':
      return `the agent ${quote(event.agent)} was interrupted by a ${event.by}`;
    case 'agent.finished':
      return `the agent ${quote(event.agent)} ended ${event.status}${event.reason === 'completed' ? '' : ` (${event.reason})`}`;
    case 'agent.requested':
    case 'agent.briefed':
    case 'agent.recalled':
    case 'round.started':
    case 'round.observed':
    case 'round.ended':
    case 'call.started':
    case 'call.returned':
    case 'call.answered':
    case 'compression.started':
    case 'figures.kept':
      return null;
  }
}
