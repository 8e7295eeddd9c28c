import type { Tool } from '../../contracts/tool.ts';
import { doNothing } from './do-nothing.ts';
import { llm } from './llm.ts';
import type { BUILTIN_TOOL_NAMES } from './names.ts';
import { readFile } from './read-file.ts';

const TOOLS: Readonly<Record<(typeof BUILTIN_TOOL_NAMES)[number], Tool>> = {
  read_file: readFile,
  llm,
  do_nothing: doNothing,
};

/** Every built-in tool. */
export function builtinTools(): Tool[] {
  return Object.values(TOOLS).map((tool) => ({ ...tool, origin: 'the built-in tools' }));
}
