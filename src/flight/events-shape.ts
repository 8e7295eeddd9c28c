/* What the schemas of events are made of. */
import { z } from 'zod';

/** Whether an event cannot be known from those before it, or follows from them. */
export type Provenance = 'recorded' | 'computed';

function event<T extends string, S extends z.ZodRawShape>(
  type: T,
  provenance: Provenance,
  description: string,
  shape: S,
) {
  return z
    .strictObject({ seq: z.int().nonnegative(), at: z.number(), type: z.literal(type), ...shape })
    .meta({ title: type, provenance, description });
}

/** An event that is an input. */
export const recorded = <T extends string, S extends z.ZodRawShape>(type: T, description: string, shape: S) =>
  event(type, 'recorded', description, shape);
/** An event that follows from those before it. */
export const computed = <T extends string, S extends z.ZodRawShape>(type: T, description: string, shape: S) =>
  event(type, 'computed', description, shape);

/** Id of a node. */
export const node = z.string();
/** Number of an attempt, from 1. */
export const attempt = z.int().positive();
/** A digest. */
export const digest = z.string().meta({ description: 'SHA-256 of the canonical JSON.' });
/** The key of an effect. */
export const key = z.string().meta({ description: 'Key of the effect.' });
/** A mode of the budget. */
export const mode = z.enum(['full', 'economy', 'minimal', 'stopped']);
/** Who answers questions. */
export const attended = z
  .union([z.boolean(), z.enum(['consent', 'write'])])
  .optional()
  .meta({
    description:
      'Somebody answers questions while the process lives; `consent`: only whether a call may be made; `write`: only that of calls that are not irreversible.',
  });
/** Whether there is a memory. */
export const remembers = z
  .literal(true)
  .optional()
  .meta({ description: 'The process has a memory: before each model call it recalls what is known.' });
/** Whether the process has hooks around calls. */
export const hooks = z
  .union([z.literal(true), z.literal('all')])
  .optional()
  .meta({
    description:
      'The process has hooks; they are asked about the calls too that no code outside makes: those of agents, and with `all` those of nodes.',
  });
/** How arguments are judged. */
export const targets = z.literal('resolved').optional().meta({
  description:
    'What arguments name is judged wherever it stands in them, and what a replan adds by what its references come to.',
});
/** Whether an agent is talked to. */
export const session = z.literal(true).optional().meta({
  description: 'An agent is talked to: the run goes on with each message, and has no end of its own.',
});
/** Whether nobody ran the run. */
export const atRest = z
  .boolean()
  .optional()
  .meta({ description: 'Nobody ran the run just then; the time before it is not running time.' });
/** A random draw. */
export const draw = z
  .number()
  .optional()
  .meta({ description: 'Random draw in [0, 1) for the jitter of a retry.' });
