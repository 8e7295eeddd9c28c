import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { commandFields, programFields, programTool, runToEnd } from '../sandbox/program-fields.ts';
import { realPlace } from '../sandbox/real-place.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { encodeCode } from './encode-code.ts';

const BASH = '/bin/bash';

/** Built-in `shell`: one command line, run to its end in the sandbox. */
export function createShell({ confinement = {} }: BuiltinSettings): Tool {
  return defineTool({
    name: 'shell',
    description:
      'Runs a command line to its end, with the workspace as its folder. It has no network, and can write the workspace and /tmp only; /tmp does not last.',
    input: z.strictObject({
      ...commandFields,
      ...programFields,
    }),
    ...programTool(confinement),
    argumentKinds: { command: 'command', folder: 'path' },
    async run({ command, folder, ...parameters }, context) {
      const cwd = await realPlace(folder, 'folder', context);
      const run = { name: 'the command', ...shellCall(encodeCode(command)), cwd };
      return runToEnd(context, confinement, run, parameters);
    },
  });
}

/** The program that reads a command line. */
export function shellCall(command: string): { command: string; args: string[] } {
  return existsSync(BASH)
    ? { command: BASH, args: ['--noprofile', '--norc', '-c', command] }
    : { command: '/bin/sh', args: ['-c', command] };
}
