/** The names of the built-in tools, known without loading any of them. */
export const BUILTIN_TOOL_NAMES = ['read_file', 'llm', 'do_nothing'] as const;
