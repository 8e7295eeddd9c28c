import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, shelfOf } from './builtin-settings.ts';
import { processField, processState } from './process-fields.ts';

/** Built-in `end_process`: ends a process in the background, and all that it has started. */
export function createEndProcess(settings: BuiltinSettings): Tool {
  const { programs } = shelfOf(settings);
  return defineTool({
    name: 'end_process',
    description:
      'Ends a process in the background with all that it has started, and says how it ended. One that has ended stays as it is.',
    input: z.strictObject({ process: processField }),
    output: processState,
    costHint: 0.2,
    effect: 'write',
    idempotent: true,
    timeoutMs: 20_000,
    run: ({ process }) => programs.end(process),
  });
}
