import { z } from 'zod';
import { defineTool } from '../define-tool.ts';

/** Built-in `task_complete`: says that the goal is reached, and with what. */
export const taskComplete = defineTool({
  name: 'task_complete',
  description:
    'Ends the work: takes the result, which becomes the answer, and passes it on as it is. Only as the last step, when the goal is reached.',
  input: z.strictObject({
    result: z.unknown().describe('The result, usually passed by reference.'),
    reason: z.string().max(2000).optional().describe('Why the goal is reached, for readers.'),
  }),
  costHint: 0,
  effect: 'read',
  run: ({ result }) => result ?? null,
});
