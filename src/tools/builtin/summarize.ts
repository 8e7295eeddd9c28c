import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { askInParts } from '../text/ask-in-parts.ts';

/** Built-in `summarize`: a text in fewer words. */
export const summarize = defineTool({
  name: 'summarize',
  description:
    'Has a model (role summarizer) sum up a text in fewer words; a long text is read in parts. Pass the text by reference.',
  input: z.strictObject({
    text: z.string().min(1).max(2_000_000).describe('The text, usually passed by reference.'),
    focus: z.string().min(1).max(2000).optional().describe('What the summary is to be about.'),
    maxWords: z.int().min(10).max(2000).default(200).describe('Length of the summary in words.'),
  }),
  output: z.strictObject({
    summary: z.string(),
    parts: z.int().positive().describe('In how many parts the text was read.'),
    truncated: z.boolean().describe('Whether the end of the text was left out.'),
  }),
  costHint: 1,
  effect: 'read',
  timeoutMs: 600_000,
  async run({ text, focus, maxWords }, context) {
    const { answer, parts, isCut } = await askInParts(context, {
      role: 'summarizer',
      task: `Sum up the text in at most ${maxWords} words, with numbers and names as they stand, and add nothing of your own.${
        focus === undefined ? '' : ' Only what bears on the focus counts.'
      }`,
      text,
      ...(focus === undefined ? {} : { sections: { focus } }),
    });
    return { summary: answer, parts, truncated: isCut };
  },
});
