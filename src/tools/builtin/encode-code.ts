import { ToolError } from '../../kernel/errors.ts';
import { MAX_CODE_BYTES } from '../sandbox/program-fields.ts';

/** A text as one argument of a program; throws a ToolError where the operating system does not take it as such. */
export function encodeCode(text: string): string {
  if (text.includes('\0')) throw new ToolError('TOOL_MISUSE', 'the code holds a NUL character');
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_CODE_BYTES) return text;
  throw new ToolError('TOOL_MISUSE', `the code has ${bytes} bytes, ${MAX_CODE_BYTES} are the most`, {
    details: { bytes, maxBytes: MAX_CODE_BYTES },
  });
}
