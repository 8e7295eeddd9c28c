import { z } from 'zod';
import type { ToolContext, ToolEffect } from '../../contracts/tool.ts';
import { type ProgramRun, refuseFailure, runProgram, toldOf } from './run-program.ts';
import type { Confinement } from './start-program.ts';

/** What the operating system takes as one argument, with room to spare. */
export const MAX_CODE_BYTES = 100_000;

const MEBIBYTE = 1024 * 1024;

/** The parameters of a command line. */
export const commandFields = {
  command: z
    .string()
    .min(1)
    .max(MAX_CODE_BYTES)
    .describe('The command line, for bash where that is installed, else for sh.'),
  folder: z.string().min(1).default('.').describe('The folder that it runs in, relative to the workspace.'),
};

/** The parameters that all tools share that run a program to its end. */
export const programFields = {
  stdin: z.string().max(4_000_000).optional().describe('What the program reads from its standard input.'),
  timeoutSeconds: z.int().min(1).max(600).default(60).describe('After so many seconds it is ended.'),
  memoryMiB: z
    .int()
    .min(32)
    .max(8192)
    .default(1024)
    .describe('Memory of the program and all that it starts, in MiB; above that it is ended.'),
  allowFailure: z
    .boolean()
    .default(false)
    .describe('Whether an exit code other than 0 is a result; else it fails the step.'),
};

/** Longest that a call of such a tool may take: its program's time, and some to end it. */
const PROGRAM_TIMEOUT_MS = 620_000;

/** What a program may leave behind that a person has to know of. */
export const warningsField = z
  .array(z.string())
  .optional()
  .describe('What to look at in the workspace: places called .git that are new or were changed.');

/** What a program that ran to its end gives. */
const programOutput = z.strictObject({
  exitCode: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean().describe('Whether something was left out in the middle of an output.'),
  warnings: warningsField,
});

/** What running a program does to the world: within the sandbox it changes files of the workspace at most. */
export function programEffect({ sandbox }: Confinement): ToolEffect {
  return sandbox === 'allow_without' ? 'irreversible' : 'write';
}

/** The limits of a call, in the units of programs. */
export function programLimits({ timeoutSeconds, memoryMiB }: { timeoutSeconds: number; memoryMiB: number }): {
  timeoutMs: number;
  memoryBytes: number;
} {
  return { timeoutMs: timeoutSeconds * 1000, memoryBytes: memoryMiB * MEBIBYTE };
}

/** What all tools declare alike that run a program to its end. */
export function programTool(confinement: Confinement) {
  return {
    output: programOutput,
    costHint: 1,
    effect: programEffect(confinement),
    openWorld: true,
    timeoutMs: PROGRAM_TIMEOUT_MS,
  } as const;
}

/** Runs the program of such a tool; an exit code other than 0 fails the step unless its parameters allow it. */
export async function runToEnd(
  context: ToolContext,
  confinement: Confinement,
  program: Omit<ProgramRun, 'timeoutMs' | 'memoryBytes' | 'input'>,
  { stdin, allowFailure, ...limits }: z.output<z.ZodObject<typeof programFields>>,
): Promise<z.input<typeof programOutput>> {
  const result = await runProgram(context, confinement, {
    ...program,
    ...programLimits(limits),
    ...(stdin === undefined ? {} : { input: stdin }),
  });
  if (!allowFailure) refuseFailure(program.name, result);
  const { exitCode, stdout, stderr, warnings } = result;
  return {
    exitCode,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: stdout.isCut || stderr.isCut,
    ...toldOf(warnings),
  };
}
