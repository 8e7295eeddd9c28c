import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, shelfOf } from './builtin-settings.ts';
import { processField, processState } from './process-fields.ts';

/** Built-in `read_process`: what a process in the background has written, and how it stands. */
export function createReadProcess(settings: BuiltinSettings): Tool {
  const { programs } = shelfOf(settings);
  return defineTool({
    name: 'read_process',
    description:
      'Reads what a process in the background has written (both outputs, as they came; at most 64 KiB, from the last 256 KiB), and how it stands.',
    input: z.strictObject({
      process: processField,
      after: z
        .int()
        .nonnegative()
        .default(0)
        .describe('The place in its output, in bytes, from which it is read: the next of the look before.'),
      waitSeconds: z
        .int()
        .min(0)
        .max(60)
        .default(0)
        .describe('How long to wait where nothing new stands there yet.'),
    }),
    output: processState.extend({
      output: z.string(),
      next: z.int().nonnegative().describe('The place to read on from.'),
      truncated: z.boolean().describe('Whether something before what was read is no longer kept.'),
    }),
    costHint: 0.2,
    effect: 'read',
    openWorld: true,
    timeoutMs: 90_000,
    async run({ process, after, waitSeconds }, { signal }) {
      const { isCut, ...read } = await programs.read(process, after, waitSeconds * 1000, signal);
      return { ...read, truncated: isCut };
    },
  });
}
