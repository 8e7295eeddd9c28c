import { z } from 'zod';
import { defineTool } from '../define-tool.ts';

/** Built-in `llm`: one question to a model in a role. */
export const llm = defineTool({
  name: 'llm',
  description: 'Asks a language model one question and returns its answer as text.',
  input: z.strictObject({
    prompt: z.string().min(1).describe('The question, with all the data that it is about.'),
    instructions: z
      .string()
      .optional()
      .describe('Standing instructions: who the model is and how it answers.'),
    role: z.string().min(1).default('worker').describe('The role whose model is asked.'),
  }),
  output: z.string(),
  costHint: 1,
  effect: 'read',
  run: ({ role, prompt, instructions }, context) =>
    context.ask(role, { prompt, ...(instructions === undefined ? {} : { instructions }) }),
});
