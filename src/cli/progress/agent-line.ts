import { countOf } from '../count-of.ts';
import { toOneLine } from '../../views/text-width.ts';
import type { AgentFlightEvent } from '../../views/why-agent.ts';
import type { EventLine } from './event-line.ts';

/** The line of a notable event of an agent; null for the others. */
export function describeAgentLine(event: AgentFlightEvent): EventLine | null {
  switch (event.type) {
    case 'message.received':
      return line('message', event.text);
    case 'agent.started':
      return line('agent', `${event.agent} began: ${event.task}`, 'plain', event.parent === undefined);
    case 'round.started':
      return line('round', `${event.round} of ${event.agent}`);
    case 'turn.read': {
      const said = event.thoughts?.['speak'] ?? event.thoughts?.['text'];
      if (event.kind === 'unreadable')
        return line('turn', `${event.agent}: unreadable: ${event.problem ?? ''}`, 'warn', true);
      return said === undefined ? null : line('thought', `${event.agent}: ${said}`);
    }
    case 'call.started':
      return line('call', `${event.key} (${event.tool})`);
    case 'call.returned':
      return line('returned', event.key, 'good');
    case 'call.failed':
      return line('call', `${event.key} failed: ${event.failure.message}`, 'warn', true);
    case 'call.amended':
      return line('amended', `${event.key} by ${event.by}`, 'warn', true);
    case 'call.hooked':
      if (event.failure !== undefined)
        return line('call', `${event.key} blocked: ${event.failure.message}`, 'warn', true);
      return event.args === undefined ? null : line('amended', `${event.key} by hook`, 'warn', true);
    case 'call.refused':
      return line('call', `${event.key} not made: ${event.failure.message}`, 'warn', true);
    case 'context.compressed':
      return line('context', `${event.agent}: ${event.before} messages became ${event.after}`);
    case 'compression.failed':
      return line('context', `${event.agent}: not shortened: ${event.reason}`, 'warn');
    case 'agent.stopped':
      return line('agent', `${event.agent} stops: ${event.reason} ${event.detail}`, 'warn', true);
    case 'agent.interrupted':
      return line('agent', `${event.agent} interrupted by ${event.by}`, 'warn', true);
    case 'agent.finished':
      return line('agent', `${event.agent} ${event.status}`, event.status === 'completed' ? 'good' : 'warn');
    case 'figures.kept':
      return event.failure === undefined
        ? line('memory', `${countOf(event.count, 'figure')} of ${event.agent} kept`)
        : line('memory', `figures of ${event.agent} not kept: ${event.failure.message}`, 'warn');
    case 'agent.requested':
    case 'agent.briefed':
    case 'agent.recalled':
    case 'round.observed':
    case 'round.ended':
    case 'call.answered':
    case 'compression.started':
      return null;
  }
}

function line(label: string, text: string, tone: EventLine['tone'] = 'plain', isLasting = false): EventLine {
  return { label, text: toOneLine(text), tone, isLasting };
}
