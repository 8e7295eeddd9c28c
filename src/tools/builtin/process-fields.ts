import { z } from 'zod';
import { warningsField } from '../sandbox/program-fields.ts';

/** The parameter by which a process is named. */
export const processField = z
  .string()
  .regex(/^p\d{1,4}$/)
  .describe('Name of the process, as start_process gave it, such as p1.');

/** How a process stands. */
export const processState = z.strictObject({
  process: z.string(),
  command: z.string(),
  state: z.enum(['running', 'ended']),
  exitCode: z.int().optional().describe('Where it ended by itself.'),
  endedBy: z
    .string()
    .optional()
    .describe('Where something else ended it: a limit, a signal, or end_process.'),
  warnings: warningsField,
});
