import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, shelfOf } from './builtin-settings.ts';
import { processState } from './process-fields.ts';

/** Built-in `list_processes`: what the run has started in the background, and how it stands. */
export function createListProcesses(settings: BuiltinSettings): Tool {
  const { programs } = shelfOf(settings);
  return defineTool({
    name: 'list_processes',
    description: 'Lists the processes that this run has started in the background, and how each stands.',
    input: z.strictObject({}),
    output: z.strictObject({ processes: z.array(processState) }),
    costHint: 0.1,
    effect: 'read',
    timeoutMs: 10_000,
    run: () => ({ processes: programs.list() }),
  });
}
