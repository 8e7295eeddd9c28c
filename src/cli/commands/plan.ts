import { writeFile } from 'node:fs/promises';
import type { Plan, PlanResult } from '../../index.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import { renderJson } from '../../views/graph.ts';
import { type Arguments, type Command, SHARED_OPTIONS } from '../command.ts';
import { endIfLoading, listenForInterrupt } from '../interrupt.ts';
import { type Io, writeLine } from '../io.ts';
import { describeEstimate, renderPlan } from '../plan-text.ts';
import { describeProblem } from '../result-text.ts';
import { shellWord } from '../shell-word.ts';
import { createStyle } from '../style.ts';

const FORMATS = ['text', 'json', 'mermaid', 'dot'] as const;

/** Draws a plan, checks it and estimates it; no tool is run. */
export const planCommand: Command = {
  positionals: { file: { type: 'string', describe: 'The task file' } },
  options: {
    ...SHARED_OPTIONS.input,
    out: {
      type: 'string',
      requiresArg: true,
      describe: 'Write the plan as JSON to this file, for run --plan',
    },
    format: { type: 'string', choices: FORMATS, default: 'text', describe: 'What to print' },
  },
  takesTaskFields: true,
  examples: [
    [
      'orchestrate plan task.yaml --out plan.json',
      'Review it, then: orchestrate run task.yaml --plan plan.json',
    ],
    ['orchestrate plan task.yaml --format mermaid', 'As a picture'],
  ],
  async run(args, io) {
    const file = args.text('file') ?? '';
    const { planTask } = await import('../../compose.ts');
    const interrupt = listenForInterrupt(
      () => {
        endIfLoading(io);
        writeLine(io.stderr, 'Interrupted: ending. Ctrl-C again ends at once.');
      },
      () => undefined,
    );
    const drawn = await planTask({
      task: file,
      flags: args.taskFlags,
      env: io.env,
      signal: interrupt.signal,
    }).finally(() => interrupt.dispose());
    const style = createStyle(io.stderr, io.env);
    if (!drawn.ok) {
      for (const problem of drawn.problems)
        writeLine(io.stderr, `${style.red('problem:')} ${describeProblem(problem)}`);
      throw toError(drawn);
    }
    const { plan, estimate, warnings } = drawn;
    for (const warning of warnings)
      writeLine(io.stderr, `${style.yellow('warning:')} ${describeProblem(warning)}`);
    const format = args.text('format') ?? 'text';
    writeLine(io.stdout, renderPlan({ plan, estimate }, format, io));
    if (format !== 'text') writeLine(io.stderr, describeEstimate(estimate));
    await writePlan(args, plan, io);
    return 0;
  },
};

async function writePlan(args: Arguments, plan: Plan, io: Io): Promise<void> {
  const style = createStyle(io.stderr, io.env);
  const file = [args.text('file') ?? '', ...flagWords(args.taskFlags)].map(shellWord).join(' ');
  const out = args.text('out');
  if (out === undefined) {
    writeLine(
      io.stderr,
      style.dim(`\nNext: orchestrate run ${file} · orchestrate plan ${file} --out plan.json`),
    );
    return;
  }
  try {
    await writeFile(out, `${renderJson(plan).trimEnd()}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OrchestratorError('usage', `--out ${out}: cannot be written (${reason})`, {
      hint: '',
      cause: error,
    });
  }
  writeLine(
    io.stderr,
    `${style.green('wrote')} ${out}\n\nNext: orchestrate run ${file} --plan ${shellWord(out)}`,
  );
}

/** The overrides as they stand on a command line again: another command must not plan for other inputs. */
function flagWords(flags: Arguments['taskFlags']): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    [value].flat().flatMap((text) => (name === 'input' ? ['--input', text] : [`--${name}=${text}`])),
  );
}

function toError({
  failure,
  problems,
  reason,
}: Extract<PlanResult, { readonly ok: false }>): OrchestratorError {
  const code = failure?.code ?? 'plan_unobtainable';
  // Each problem has its own line, so the message need not list them again.
  const hint = HINTS[code];
  return new OrchestratorError(code, problems.length > 0 ? reason : (failure?.message ?? reason), {
    ...(hint === undefined ? {} : { hint }),
  });
}

const HINTS: Readonly<Record<string, string>> = {
  plan_unobtainable: 'Word the goal otherwise, or raise limits.planRounds.',
  aborted: 'The same command draws it anew.',
};
