import { didYouMean } from '../kernel/did-you-mean.ts';

/** Names that different programs give to the same command. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['search', 'google', 'web_search', 'search_web', 'duckduckgo', 'find', 'look_up', 'lookup', 'query'],
  ['grep', 'search_files', 'find_in_files', 'ripgrep'],
  ['read_file', 'open_file', 'view_file', 'show_file', 'cat', 'load_file'],
  ['write_file', 'write_to_file', 'save_file', 'create_file', 'append_to_file'],
  ['edit_file', 'patch', 'apply_patch', 'replace_in_file', 'str_replace'],
  ['list_files', 'list_directory', 'list_folder', 'ls', 'dir'],
  ['delete_file', 'remove_file', 'rm', 'unlink'],
  ['run_shell', 'shell', 'bash', 'exec', 'execute_shell', 'run_command', 'terminal'],
  ['run_code', 'execute_code', 'execute_python_code', 'execute_python_file', 'python', 'code'],
  ['fetch_url', 'browse_website', 'browse', 'visit', 'http_get', 'get_url', 'open_url', 'fetch', 'web_fetch'],
  ['delegate', 'delegate_task', 'subagent', 'task', 'spawn_agent'],
  ['ask_human', 'ask_user', 'ask', 'clarify', 'request_input'],
  ['finish', 'task_complete', 'goals_accomplished', 'complete', 'done', 'stop', 'shutdown', 'goal_complete'],
  ['do_nothing', 'noop', 'wait', 'pass'],
];

/** The tool that a name that is none may stand for: one spelt much like it, else one of the same meaning; or null. */
export function suggestTool(name: string, tools: readonly string[]): string | null {
  const near = didYouMean(name, tools);
  if (near !== null) return near;
  const wanted = name.toLowerCase().replaceAll(/[\s-]+/g, '_');
  const group = SYNONYMS.find((names) => names.includes(wanted)) ?? [];
  return group.find((other) => tools.includes(other)) ?? null;
}
