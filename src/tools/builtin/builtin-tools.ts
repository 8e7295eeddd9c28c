import type { Tool } from '../../contracts/tool.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { BUILTIN_ORIGIN, BUILTIN_TOOL_NAMES, type BuiltinToolName } from './names.ts';

/** Where each tool is made; its code, and what it stands on, is loaded only when it is asked for. */
const TOOLS: Readonly<Record<BuiltinToolName, (settings: BuiltinSettings) => Promise<Tool>>> = {
  read_file: async () => (await import('./read-file.ts')).readFile,
  write_file: async () => (await import('./write-file.ts')).writeFile,
  append_file: async () => (await import('./append-file.ts')).appendFile,
  list_files: async () => (await import('./list-files.ts')).listFiles,
  search_files: async () => (await import('./search-files.ts')).searchFiles,
  delete_file: async () => (await import('./delete-file.ts')).deleteFile,
  llm: async () => (await import('./llm.ts')).llm,
  do_nothing: async () => (await import('./do-nothing.ts')).doNothing,
  http_get: async (settings) => (await import('./http-get.ts')).createHttpGet(settings),
  http_request: async (settings) => (await import('./http-request.ts')).createHttpRequest(settings),
  download_file: async (settings) => (await import('./download-file.ts')).createDownloadFile(settings),
  get_hyperlinks: async (settings) => (await import('./get-hyperlinks.ts')).createGetHyperlinks(settings),
  html_to_text: async () => (await import('./html-to-text.ts')).htmlToText,
  browse_website: async (settings) => (await import('./browse-website.ts')).createBrowseWebsite(settings),
  get_text_summary: async (settings) =>
    (await import('./get-text-summary.ts')).createGetTextSummary(settings),
  web_search: async (settings) => (await import('./web-search.ts')).createWebSearch(settings),
  run_javascript: async () => (await import('./run-javascript.ts')).runJavascript,
  run_python: async (settings) => (await import('./run-python.ts')).createRunPython(settings),
  run_python_file: async (settings) => (await import('./run-python-file.ts')).createRunPythonFile(settings),
  shell: async (settings) => (await import('./shell.ts')).createShell(settings),
  start_process: async (settings) => (await import('./start-process.ts')).createStartProcess(settings),
  list_processes: async (settings) => (await import('./list-processes.ts')).createListProcesses(settings),
  read_process: async (settings) => (await import('./read-process.ts')).createReadProcess(settings),
  end_process: async (settings) => (await import('./end-process.ts')).createEndProcess(settings),
  clone_repository: async (settings) =>
    (await import('./clone-repository.ts')).createCloneRepository(settings),
  ask_human: async () => (await import('./ask-human.ts')).askHuman,
  remember: async (settings) => (await import('./remember.ts')).createRemember(settings),
  recall: async (settings) => (await import('./recall.ts')).createRecall(settings),
  todo: async (settings) => (await import('./todo.ts')).createTodo(settings),
  summarize: async () => (await import('./summarize.ts')).summarize,
  aggregate_report: async () => (await import('./aggregate-report.ts')).aggregateReport,
  analyze_code: async () => (await import('./analyze-code.ts')).analyzeCode,
  improve_code: async () => (await import('./improve-code.ts')).improveCode,
  write_tests: async () => (await import('./write-tests.ts')).writeTests,
  generate_image: async () => (await import('./generate-image.ts')).generateImage,
  transcribe_audio: async () => (await import('./transcribe-audio.ts')).transcribeAudio,
  calculate: async () => (await import('./calculate.ts')).calculate,
  extract: async () => (await import('./extract.ts')).extract,
  task_complete: async () => (await import('./task-complete.ts')).taskComplete,
};

/** The built-in tools of those names, all by default, as the settings of the task make them. */
export async function builtinTools(
  names: readonly BuiltinToolName[] = BUILTIN_TOOL_NAMES,
  settings: BuiltinSettings = {},
): Promise<Tool[]> {
  const tools = await Promise.all(names.map((name) => TOOLS[name](settings)));
  return tools.map((tool) => ({ ...tool, origin: BUILTIN_ORIGIN }));
}
