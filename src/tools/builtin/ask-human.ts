import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';

/** Built-in `ask_human`: a question to a person, whose answer is the result. Runs answer it themselves, without a call. */
export const askHuman = defineTool({
  name: 'ask_human',
  description:
    'Asks a person a question and waits for the answer, which is the result. Only for what no tool can find out or decide.',
  input: z.strictObject({
    question: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .describe('The question, with all that is needed to answer it.'),
    choices: z
      .array(z.string().min(1).max(200))
      .min(2)
      .max(20)
      .optional()
      .describe('The only answers there are, where they are known.'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON Schema of the answer; a text where neither this nor choices are given.'),
  }),
  costHint: 1,
  effect: 'read',
  interactive: true,
  run() {
    throw new ToolError('PERMANENT', 'a question to a person is answered by a person, not by a call');
  },
});
