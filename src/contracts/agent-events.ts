/*
 * The events of an agent, as the parts of which the log makes its schemas. `agent` is the key of the effect whose work
 * it is, `key` that of one of its own effects below it. Model calls and questions to people have the events that they
 * have in every run.
 */
import { z } from 'zod';
import { onDemand } from '../kernel/on-demand.ts';
import { agentGrantSchema, agentSettingsSchema, briefingSchema, STOP_REASONS } from './agent.ts';
import { reservationSchema } from './budget.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { failureSchema } from './failure.ts';
import { jsonValue } from './json-value.ts';
import { hookedShape } from './hooks.ts';
import type { Message } from './model.ts';

const agent = z.string().meta({ description: 'Key of the agent.' });
const key = z.string().meta({ description: 'Key of the effect.' });
const round = z.int().nonnegative();
const digest = z.string().meta({ description: 'SHA-256 of the canonical JSON.' });
const history = z.array(jsonValue) as unknown as z.ZodType<readonly Message[]>;

function part<P extends 'recorded' | 'computed', S extends z.ZodRawShape>(
  provenance: P,
  description: string,
  shape: S,
) {
  return { provenance, description, shape } as const;
}

/** What the schemas of an agent's events are made of, by type. */
export const agentEventParts = onDemand({
  'agent.started': () =>
    part('computed', 'An agent began an exchange; holds what was granted to it.', {
      agent,
      parent: agent.optional().meta({ description: 'The agent that delegated to it.' }),
      continues: agent
        .optional()
        .meta({ description: 'The exchange before this one, whose history it goes on with.' }),
      name: z
        .string()
        .optional()
        .meta({ description: 'What its parent calls it, where it is a lasting one.' }),
      task: z.string().meta({ description: 'What it is asked.' }),
      systemMessage: z.string().optional().meta({ description: 'Standing instructions of whoever asks.' }),
      history: history.optional().meta({ description: 'Messages before, where they come from outside.' }),
      grant: agentGrantSchema,
      settings: agentSettingsSchema,
      reserved: reservationSchema.meta({ description: 'What is held back for its write-up.' }),
    }),
  'agent.requested': () =>
    part('computed', 'An agent asked for something that is no call of a tool or a model.', {
      agent,
      what: z.enum(['briefing', 'recall', 'figures', 'hooks']),
      key: key.optional().meta({ description: 'The call that hooks are asked about.' }),
    }),
  'agent.briefed': () =>
    part('recorded', 'What an agent is told before its first turn.', {
      agent,
      briefing: briefingSchema,
    }),
  'agent.recalled': () =>
    part('recorded', 'Earlier exchanges that came to mind.', { agent, text: z.string() }),
  'round.started': () =>
    part('computed', 'A round began: the model is asked what to do (THINK).', {
      agent,
      round,
    }),
  'turn.read': () =>
    part('computed', 'The turn of the model was read (ACT). One that cannot be read runs nothing.', {
      agent,
      round,
      kind: z.enum(['calls', 'answer', 'unreadable']),
      calls: z.array(z.strictObject({ key, tool: z.string(), segment: z.int().nonnegative() })),
      thoughts: z.record(z.string(), z.string()).optional(),
      problem: z.string().optional().meta({ description: 'Why it cannot be read; told to the model.' }),
    }),
  'call.started': () =>
    part('computed', 'A call of an agent was reserved and is made.', {
      agent,
      key,
      tool: z.string(),
      args: digest,
      attempt: z.int().positive(),
      timeoutMs: z.number(),
      standing: z.boolean().optional().meta({ description: 'A consent given before covers it.' }),
    }),
  'call.returned': () =>
    part('recorded', 'A call of an agent has its result.', { agent, key, value: jsonValue }),
  'call.failed': () =>
    part('recorded', 'One attempt of a call of an agent failed.', {
      agent,
      key,
      failure: failureSchema,
      lingering: z.boolean().optional(),
      draw: z.number().optional().meta({ description: 'Random draw in [0, 1) for the jitter of a retry.' }),
    }),
  'call.amended': () =>
    part(
      'recorded',
      'Other arguments took the place of those of a call that was about to be made; it is looked at anew.',
      {
        agent,
        key,
        by: z.enum(['hook']),
        args: z.record(z.string(), jsonValue),
      },
    ),
  'call.hooked': () =>
    part(
      'recorded',
      'What hooks say of a call that no code outside makes; nothing lets it go on, or its result stand.',
      {
        agent,
        key,
        ...hookedShape,
      },
    ),
  'call.refused': () =>
    part('computed', 'A call of an agent is not made (again); the model is told why.', {
      agent,
      key,
      failure: failureSchema,
      repeats: key.optional().meta({ description: 'The call before whose result it would have again.' }),
    }),
  'call.answered': () =>
    part('computed', 'A call was answered by the agent itself.', {
      agent,
      key,
      value: digest,
    }),
  'round.observed': () =>
    part('computed', 'The results of a round are in the history (OBSERVE).', {
      agent,
      round,
      results: z.array(z.strictObject({ key, ok: z.boolean(), chars: z.int().nonnegative() })),
    }),
  'compression.started': () =>
    part('computed', 'The history is to be made shorter.', {
      agent,
      level: z.enum(['soft', 'hard']),
      head: z.int().nonnegative().meta({ description: 'First messages that stay.' }),
      tail: z.int().nonnegative().meta({ description: 'Index from which all messages stay.' }),
      summarise: z.boolean().meta({ description: 'Whether to clear old results is not enough.' }),
      tokens: z.int().nonnegative().meta({ description: 'What the next prompt would take.' }),
    }),
  'figures.kept': () =>
    part('recorded', 'Figures of what is left out went to memory.', {
      agent,
      count: z.int().nonnegative(),
      failure: failureSchema.optional(),
    }),
  'context.compressed': () =>
    part('computed', 'The history was made shorter.', {
      agent,
      generation: z.int().positive().meta({ description: 'How often that happened in this session.' }),
      before: z.int().nonnegative().meta({ description: 'Messages before.' }),
      after: z.int().nonnegative(),
      digest,
    }),
  'compression.failed': () =>
    part('computed', 'The history stays as it is; a later round may try again.', {
      agent,
      reason: z.string(),
    }),
  'round.ended': () =>
    part('computed', 'A round was looked at (EVALUATE).', {
      agent,
      round,
      failed: z.boolean(),
      completion: z.number().optional().meta({ description: 'Left out where none is known.' }),
    }),
  'agent.stopped': () =>
    part('computed', 'An agent goes no further and writes up what it has.', {
      agent,
      reason: z.enum(STOP_REASONS),
      detail: z.string(),
    }),
  'agent.interrupted': () =>
    part('recorded', 'A person or a signal wants an agent to end at once.', {
      agent,
      by: z.enum(['message', 'stop', 'signal']),
    }),
  'agent.finished': () =>
    part('computed', 'An agent ended its exchange.', {
      agent,
      reason: z.enum(STOP_REASONS),
      status: z.enum(['completed', 'partial', 'aborted']),
      answer: digest,
    }),
});

/** The type of an event of an agent. */
export type AgentEventType = keyof typeof agentEventParts;

/** The event of one type, without its place and time. */
export type AgentEventOf<T extends AgentEventType> = { readonly type: T } & DeepReadonly<
  z.output<z.ZodObject<(typeof agentEventParts)[T]['shape']>>
>;

/** Any event of an agent, without its place and time. */
export type AgentEvent = { [T in AgentEventType]: AgentEventOf<T> }[AgentEventType];
