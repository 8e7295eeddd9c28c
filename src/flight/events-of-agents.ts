import { z } from 'zod';
import { agentEventParts, type AgentEventType } from '../contracts/agent-events.ts';
import { jsonValue } from '../contracts/json-value.ts';
import type { Message } from '../contracts/model.ts';
import { computed, recorded } from './events-shape.ts';

function schemaOf<T extends AgentEventType>(type: T) {
  const { provenance, description, shape } = agentEventParts[type];
  const make = provenance === 'recorded' ? recorded : computed;
  return make(type, description, shape as (typeof agentEventParts)[T]['shape']);
}

/** What makes the schemas of the events of agents, by type. */
export const agentEventSchemas = {
  'message.received': () =>
    recorded('message.received', 'A person said something to the agent of a session.', {
      text: z.string(),
      systemMessage: z.string().optional().meta({ description: 'Standing instructions from here on.' }),
      history: (z.array(jsonValue) as unknown as z.ZodType<readonly Message[]>)
        .optional()
        .meta({ description: 'Messages before, where the session begins with some from outside.' }),
      taskId: z.string().optional().meta({ description: 'What whoever asks calls it.' }),
    }),
  'agent.started': () => schemaOf('agent.started'),
  'agent.requested': () => schemaOf('agent.requested'),
  'agent.briefed': () => schemaOf('agent.briefed'),
  'agent.recalled': () => schemaOf('agent.recalled'),
  'round.started': () => schemaOf('round.started'),
  'turn.read': () => schemaOf('turn.read'),
  'call.started': () => schemaOf('call.started'),
  'call.returned': () => schemaOf('call.returned'),
  'call.failed': () => schemaOf('call.failed'),
  'call.amended': () => schemaOf('call.amended'),
  'call.hooked': () => schemaOf('call.hooked'),
  'call.refused': () => schemaOf('call.refused'),
  'call.answered': () => schemaOf('call.answered'),
  'round.observed': () => schemaOf('round.observed'),
  'compression.started': () => schemaOf('compression.started'),
  'figures.kept': () => schemaOf('figures.kept'),
  'context.compressed': () => schemaOf('context.compressed'),
  'compression.failed': () => schemaOf('compression.failed'),
  'round.ended': () => schemaOf('round.ended'),
  'agent.stopped': () => schemaOf('agent.stopped'),
  'agent.interrupted': () => schemaOf('agent.interrupted'),
  'agent.finished': () => schemaOf('agent.finished'),
};

/** The type of an event that only agents and their sessions have. */
export type AgentFlightType = keyof typeof agentEventSchemas;

/** True for an event that only agents and their sessions have. */
export function isAgentEvent<E extends { readonly type: string }>(
  event: E,
): event is Extract<E, { readonly type: AgentFlightType }> {
  return Object.hasOwn(agentEventSchemas, event.type);
}
