import type { WebSettings } from '../../contracts/task.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import type { BuiltinToolName } from './names.ts';

/** What built-in tools are made with, from the task and the environment. */
export interface BuiltinSettings {
  readonly web?: WebSettings;
  /** Environment variables: keys of services come from nowhere else. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Throws `task_invalid` where a task names a tool without the settings that it cannot work without. */
export function refuseMissingSettings(name: BuiltinToolName, { web }: BuiltinSettings): void {
  if (name !== 'web_search' || web?.search !== undefined) return;
  throw new OrchestratorError('task_invalid', 'web_search needs a service under web.search', {
    hint: 'Write web: { search: { kind: searxng, url: http://localhost:8888 } }, or kind brave or tavily with a key.',
  });
}
