import type { WebSettings } from '../../contracts/task.ts';
import type { ToolMemory } from '../../contracts/memory.ts';
import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import type { Confinement } from '../sandbox/start-program.ts';
import type { BuiltinToolName } from './names.ts';
import { RunShelf } from './run-shelf.ts';

/** What built-in tools are made with, from the task and the environment. */
export interface BuiltinSettings {
  readonly web?: WebSettings;
  /** Environment variables: keys of services come from nowhere else. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How programs are confined. */
  readonly confinement?: Confinement;
  /** What the tools of one run share; a shelf of its own where it is left out. */
  readonly shelf?: RunShelf;
}

/** The shelf that the tools of a run share. */
export function shelfOf({ shelf }: BuiltinSettings): RunShelf {
  return shelf ?? new RunShelf();
}

/** Throws `task_invalid` where a task names a tool without the settings that it cannot work without. */
export function refuseMissingSettings(name: BuiltinToolName, { web }: BuiltinSettings): void {
  if (name !== 'web_search' || web?.search !== undefined) return;
  throw new OrchestratorError('task_invalid', 'web_search needs a service under web.search', {
    hint: 'Write web: { search: { kind: searxng, url: http://localhost:8888 } }, or kind brave or tavily with a key.',
  });
}

/** What a run remembers with; throws a ToolError where it has no memory. */
export function memoryOf(settings: BuiltinSettings): ToolMemory {
  const memory = settings.shelf?.memory ?? null;
  if (memory !== null) return memory;
  throw new ToolError(
    'PERMANENT',
    'this run has no memory: it is switched off, or the run is kept in no folder',
  );
}

/** The node of a call, from the key of its effect. */
export function nodeOf(key: string): string {
  const node = key.replace(/\/\d+$/, '');
  // An id that could be read as another key stands in it in another form.
  return node.startsWith('node:') ? node.slice(5).replaceAll('%2F', '/').replaceAll('%25', '%') : node;
}
