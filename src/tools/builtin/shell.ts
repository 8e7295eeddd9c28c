import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import {
  MAX_CODE_BYTES,
  PROGRAM_TIMEOUT_MS,
  programEffect,
  programFields,
  programLimits,
  programOutput,
  toProgramOutput,
} from '../sandbox/program-fields.ts';
import { realPlace } from '../sandbox/real-place.ts';
import { refuseFailure, runProgram } from '../sandbox/run-program.ts';
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
      command: z
        .string()
        .min(1)
        .max(MAX_CODE_BYTES)
        .describe('The command line, for bash where that is installed, else for sh.'),
      folder: z
        .string()
        .min(1)
        .default('.')
        .describe('The folder that it runs in, relative to the workspace.'),
      ...programFields,
    }),
    output: programOutput,
    costHint: 1,
    effect: programEffect(confinement),
    openWorld: true,
    timeoutMs: PROGRAM_TIMEOUT_MS,
    argumentKinds: { command: 'command', folder: 'path' },
    async run({ command, folder, stdin, allowFailure, ...limits }, context) {
      const cwd = await realPlace(folder, 'folder', context);
      const result = await runProgram(context, confinement, {
        ...{ name: 'the command', ...shellCall(encodeCode(command)), cwd, ...programLimits(limits) },
        ...(stdin === undefined ? {} : { input: stdin }),
      });
      if (!allowFailure) refuseFailure('the command', result);
      return toProgramOutput(result);
    },
  });
}

/** The program that reads a command line. */
export function shellCall(command: string): { command: string; args: string[] } {
  return existsSync(BASH)
    ? { command: BASH, args: ['--noprofile', '--norc', '-c', command] }
    : { command: '/bin/sh', args: ['-c', command] };
}
