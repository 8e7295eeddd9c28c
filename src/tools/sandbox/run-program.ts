import { constants } from 'node:os';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { HeldOutput, type KeptOutput } from './held-output.ts';
import { type BrokenLimit, type Confinement, type ProgramRequest, startProgram } from './start-program.ts';

/** Of each of the two outputs. */
const KEPT_BYTES = 64 * 1024;
const TOLD_BYTES = 2000;

/** How long a program that is out of time is given to end by itself. */
const STOP_GRACE_MS = 1000;

/** A program that is run to its end. */
export interface ProgramRun extends Omit<ProgramRequest, 'lifetime' | 'hasInput'> {
  /** What it is called in messages. */
  readonly name: string;
  readonly timeoutMs: number;
  /** What it reads from its input; nothing by default. */
  readonly input?: string;
}

/** How a program ended, and what it wrote. */
export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  /** What a person has to know of what it left in the workspace. */
  readonly warnings: readonly string[];
}

/** Runs a program to its end; throws a ToolError where it takes too much or too long, with what it wrote until then. */
export async function runProgram(
  context: Pick<ToolContext, 'spawn' | 'workspace' | 'signal' | 'kept'>,
  confinement: Confinement,
  { name, timeoutMs, input, ...request }: ProgramRun,
): Promise<ProgramResult> {
  context.signal.throwIfAborted();
  const hasInput = input !== undefined;
  const started = await startProgram(context, confinement, { ...request, hasInput, lifetime: 'call' });
  const { group } = started;
  const stdout = new HeldOutput(group.stdout, KEPT_BYTES);
  const stderr = new HeldOutput(group.stderr, KEPT_BYTES);
  if (hasInput) group.stdin?.end(input);
  const clock = { isLate: false };
  const timer = setTimeout(() => {
    clock.isLate = true;
    void group.stop(STOP_GRACE_MS);
  }, timeoutMs);
  const stop = (): void => void group.stop(0);
  context.signal.addEventListener('abort', stop, { once: true });
  // Meanwhile others may have been waited for.
  if (context.signal.aborted) stop();
  try {
    const { code, signal } = await group.ended;
    context.signal.throwIfAborted();
    const written = { stdout: stdout.read(), stderr: stderr.read(), warnings: await started.warnings };
    const limit = clock.isLate ? 'time' : started.brokenLimit();
    if (limit !== null)
      throw brokenLimit(name, limit, { timeoutMs, memoryBytes: request.memoryBytes }, written);
    if (started.isConfined && code === 1 && written.stderr.text.startsWith('bwrap: ')) {
      throw new ToolError('PERMANENT', `the sandbox of ${name} could not be made: ${lastOf(written.stderr)}`);
    }
    return { exitCode: code ?? signalCode(signal), ...written };
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', stop);
  }
}

/** As shells tell it: 128 and the number of the signal. */
function signalCode(signal: string | null): number {
  return 128 + constants.signals[(signal ?? 'SIGKILL') as NodeJS.Signals];
}

/** Throws a ToolError that says what a program wrote, where it ended with another code than 0. */
export function refuseFailure(name: string, { exitCode, stdout, stderr, warnings }: ProgramResult): void {
  if (exitCode === 0) return;
  const said = lastOf(stderr.text.trim() === '' ? stdout : stderr);
  throw new ToolError('PERMANENT', `${name} ended with code ${exitCode}${said === '' ? '' : `: ${said}`}`, {
    details: { exitCode, stdout: lastOf(stdout), stderr: lastOf(stderr), ...toldOf(warnings) },
  });
}

function brokenLimit(
  name: string,
  limit: BrokenLimit | 'time',
  { timeoutMs, memoryBytes }: { timeoutMs: number; memoryBytes: number },
  { stdout, stderr, warnings }: Omit<ProgramResult, 'exitCode'>,
): ToolError {
  const what = {
    time: `did not end within ${timeoutMs / 1000} s`,
    memory: `took more than ${Math.floor(memoryBytes / 1024 / 1024)} MiB of memory`,
    processes: 'started too many processes',
  }[limit];
  return new ToolError('PERMANENT', `${name} ${what} and was ended`, {
    details: { limit, stdout: lastOf(stdout), stderr: lastOf(stderr), ...toldOf(warnings) },
  });
}

/** The field of warnings, where there are any. */
export function toldOf(warnings: readonly string[]): { warnings?: string[] } {
  return warnings.length === 0 ? {} : { warnings: [...warnings] };
}

/** The end of what was written: failures stand there. */
function lastOf({ text }: KeptOutput): string {
  // As bytes: a cut must not leave half a character.
  return Buffer.from(text.trimEnd()).subarray(-TOLD_BYTES).toString('utf8');
}
