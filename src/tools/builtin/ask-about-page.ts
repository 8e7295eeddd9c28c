import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { askInParts } from '../text/ask-in-parts.ts';
import type { FetchedPage } from '../web/fetch-page.ts';

/** Argument: what is to be found out from a page. */
export const questionField = z.string().min(1).max(2000).describe('What is to be found out from the page.');

const TASK =
  'Answer the question from the text of a web page and from nothing else, with numbers and names as they stand. Where the text does not answer it, say so.';

/** What a page says about a question; throws MISSING_INFO where it has no text. */
export async function askAboutPage(
  page: FetchedPage,
  question: string,
  context: Parameters<typeof askInParts>[0],
): Promise<{ readonly answer: string; readonly parts: number; readonly truncated: boolean }> {
  if (page.text === '') {
    throw new ToolError(
      'MISSING_INFO',
      `${page.url} has no text; it may be drawn by scripts, which are not run`,
      {
        details: { url: page.url },
      },
    );
  }
  const sections = { question, title: page.title };
  const { answer, parts, isCut } = await askInParts(context, {
    role: 'summarizer',
    task: TASK,
    text: page.text,
    sections,
  });
  return { answer, parts, truncated: isCut || page.isCut };
}
