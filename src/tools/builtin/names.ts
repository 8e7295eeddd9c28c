/** The names of the built-in tools, known without loading any of them. */
export const BUILTIN_TOOL_NAMES = [
  'read_file',
  'write_file',
  'append_file',
  'list_files',
  'search_files',
  'delete_file',
  'http_get',
  'http_request',
  'download_file',
  'get_hyperlinks',
  'html_to_text',
  'browse_website',
  'get_text_summary',
  'web_search',
  'run_javascript',
  'run_python',
  'run_python_file',
  'shell',
  'start_process',
  'list_processes',
  'read_process',
  'end_process',
  'clone_repository',
  'llm',
  'summarize',
  'aggregate_report',
  'analyze_code',
  'improve_code',
  'write_tests',
  'generate_image',
  'transcribe_audio',
  'calculate',
  'extract',
  'ask_human',
  'remember',
  'recall',
  'todo',
  'do_nothing',
  'task_complete',
] as const;

/** The name of a built-in tool. */
export type BuiltinToolName = (typeof BUILTIN_TOOL_NAMES)[number];

/** Whether a name is that of a built-in tool. */
export function isBuiltinName(name: string): name is BuiltinToolName {
  return (BUILTIN_TOOL_NAMES as readonly string[]).includes(name);
}

/** Where built-in tools say that they come from. */
export const BUILTIN_ORIGIN = 'the built-in tools';
