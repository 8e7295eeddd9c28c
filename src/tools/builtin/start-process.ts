import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { commandFields, programEffect, programFields, programLimits } from '../sandbox/program-fields.ts';
import { realPlace } from '../sandbox/real-place.ts';
import { startProgram } from '../sandbox/start-program.ts';
import { type BuiltinSettings, shelfOf } from './builtin-settings.ts';
import { encodeCode } from './encode-code.ts';
import { shellCall } from './shell.ts';

/** Built-in `start_process`: a command line that goes on in the background, until it is ended or the run ends. */
export function createStartProcess(settings: BuiltinSettings): Tool {
  const { confinement = {} } = settings;
  const { programs } = shelfOf(settings);
  return defineTool({
    name: 'start_process',
    description:
      'Starts a command line in the background and returns its name at once; read_process, list_processes and end_process take that name. It ends with the run at the latest. It has no network, and can write the workspace and its own /tmp only.',
    input: z.strictObject({
      ...commandFields,
      waitFor: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe(
          'A text of its output that says that it is ready; the call fails where that does not come.',
        ),
      waitSeconds: z.int().min(1).max(120).default(30).describe('How long that text is waited for.'),
      memoryMiB: programFields.memoryMiB,
    }),
    output: z.strictObject({ process: z.string().describe('Its name for the other tools of processes.') }),
    costHint: 1,
    effect: programEffect(confinement),
    timeoutMs: 180_000,
    argumentKinds: { command: 'command', folder: 'path' },
    async run({ command, folder, waitFor, waitSeconds, memoryMiB }, context) {
      const cwd = await realPlace(folder, 'folder', context);
      const { memoryBytes } = programLimits({ timeoutSeconds: 0, memoryMiB });
      const call = shellCall(encodeCode(command));
      const name = await programs.start(command, () =>
        startProgram(context, confinement, { ...call, cwd, memoryBytes, lifetime: 'run' }),
      );
      if (waitFor === undefined) return { process: name };
      if (await programs.waitForText(name, waitFor, waitSeconds * 1000, context.signal))
        return { process: name };
      const { state, output } = await programs.read(name, 0, 0, context.signal);
      await programs.end(name);
      const what = state === 'ended' ? 'ended' : `was ended after ${waitSeconds} s`;
      throw new ToolError(
        'PERMANENT',
        `the process ${what} without ${JSON.stringify(waitFor)} in its output`,
        {
          details: { output: output.slice(0, 2000) },
        },
      );
    },
  });
}
