/* The events of what is recalled for model calls; part of `eventSchemas`. */
import { z } from 'zod';
import { recalledContextSchema } from '../contracts/memory.ts';
import { computed, key, node, recorded } from './events-shape.ts';

/** What makes the schemas of the events of memory, by type. */
export const memoryEventSchemas = {
  'memory.requested': () =>
    computed('memory.requested', 'What is known is to be recalled for a model call.', {
      key,
      call: z.string().meta({ description: 'Key of the model call.' }),
      node: node.optional().meta({ description: 'The node that asks, or whose arguments are repaired.' }),
      budgetChars: z.int().positive().meta({ description: 'The longest that the context may be.' }),
      timeoutMs: z.number(),
    }),
  'memory.recalled': () =>
    recorded(
      'memory.recalled',
      'The context of a model call was recalled, or could not be in time; the call is made with what there is.',
      {
        key,
        ...recalledContextSchema.shape,
        timedOut: z.literal(true).optional().meta({ description: 'Memory took longer than it may.' }),
      },
    ),
};
