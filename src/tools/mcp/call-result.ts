import type { CallToolResult } from '@modelcontextprotocol/client';
import { ToolError } from '../../kernel/errors.ts';
import { type Json, toPlainJson } from '../../kernel/json.ts';
import { cleanText } from './clean-text.ts';

const ERROR_CHARS = 2000;

/**
 * What a call came to: the structured result where there is one, the text where there is nothing else, else the blocks
 * of content. Throws a ToolError where the tool reports an error; what it says stands in the details, as data.
 */
export function readCallResult(tool: string, result: CallToolResult): Json {
  const { content, structuredContent, isError } = result;
  if (isError === true) {
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    throw new ToolError('TOOL_MISUSE', `${tool} reports an error`, {
      details: { reported: cleanText(text).slice(0, ERROR_CHARS) },
    });
  }
  if (structuredContent !== undefined) return toPlainJson(structuredContent);
  const [only, ...others] = content;
  if (only === undefined) return null;
  if (others.length === 0 && only.type === 'text') return only.text;
  return toPlainJson(content);
}
