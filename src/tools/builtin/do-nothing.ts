import { z } from 'zod';
import { defineTool } from '../define-tool.ts';

/** Built-in `do_nothing`: a step that has no effect, for plans that need a place where branches meet. */
export const doNothing = defineTool({
  name: 'do_nothing',
  description: 'Does nothing and returns null. Use it where a plan needs a step without effect.',
  input: z.strictObject({
    reason: z.string().optional().describe('Why nothing is to be done, for readers.'),
  }),
  output: z.null(),
  costHint: 0,
  effect: 'read',
  run: () => null,
});
