import type { AnswerReport, GivenAnswer, Json } from '../../index.ts';
import { type Arguments, type Command, SHARED_OPTIONS } from '../command.ts';
import { type Io, writeLine } from '../io.ts';
import { personOf } from '../person.ts';
import { shellWord } from '../shell-word.ts';
import { usageError } from '../usage-error.ts';

const positionals = {
  run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' },
  node: { type: 'string', describe: 'The node that waits' },
} as const;

const options = {
  reason: { type: 'string', requiresArg: true, describe: 'Why, for the log' },
  ...SHARED_OPTIONS.json,
  ...SHARED_OPTIONS.runsFolder,
} as const;

/** Allows a call that waits for a person, with other arguments where they are given, or says what came of it. */
export const approveCommand: Command = {
  positionals,
  options: {
    args: { type: 'string', requiresArg: true, describe: 'Other arguments for the call, as a JSON object' },
    done: {
      type: 'string',
      requiresArg: true,
      describe: 'The call was made, and this is its result, as JSON',
    },
    value: {
      type: 'string',
      requiresArg: true,
      describe: 'The answer to a question, as a text, or as JSON where something else is asked for',
    },
    ...options,
  },
  examples: [
    ['orchestrate approve last send', 'Allow the call as it was asked about'],
    ['orchestrate approve last send --args \'{"to":"me@example.org"}\'', 'Allow it with other arguments'],
    ['orchestrate approve last send --done \'"sent"\'', 'It was made already; this is its result'],
    ['orchestrate approve last ask --value "the blue one"', 'Answer what was asked'],
  ],
  run: (args, io) => {
    const changed = readJson(args, 'args');
    const value = readJson(args, 'done');
    if (changed !== undefined && value !== undefined)
      throw usageError('--args and --done exclude each other');
    const text = args.text('value');
    if (text !== undefined && (changed !== undefined || value !== undefined))
      throw usageError('--value excludes --args and --done');
    if (text !== undefined) return answer(args, io, { decision: 'done', text });
    return answer(args, io, {
      decision: value === undefined ? 'approved' : 'done',
      ...(changed === undefined ? {} : { args: changed }),
      ...(value === undefined ? {} : { value }),
    });
  },
};

/** Denies a call that waits for a person. */
export const denyCommand: Command = {
  positionals,
  options,
  run: (args, io) => answer(args, io, { decision: 'denied' }),
};

async function answer(args: Arguments, io: Io, given: Omit<GivenAnswer, 'by'>): Promise<number> {
  const runsFolder = args.text('runs-folder');
  const reason = args.text('reason');
  const { answerQuestion, openRunStore } = await import('../../compose.ts');
  const store = openRunStore(runsFolder);
  const report = await answerQuestion(store, args.text('run') ?? '', args.text('node') ?? '', {
    ...given,
    by: personOf(io),
    ...(reason === undefined ? {} : { reason }),
  });
  const { decision } = given;
  if (args.isSet('json')) writeLine(io.stdout, JSON.stringify({ ...report, decision }, null, 2));
  else
    writeLine(
      io.stdout,
      describe(
        report,
        decision === 'done' ? (given.text === undefined ? 'noted as done' : 'answered') : decision,
        runsFolder,
      ),
    );
  return 0;
}

function describe(report: AnswerReport, said: string, runsFolder: string | undefined): string {
  const where = runsFolder === undefined ? '' : ` --runs-folder ${shellWord(runsFolder)}`;
  const resume = `\`orchestrate resume ${report.runId}${where}\``;
  if (report.state === 'posted') {
    return `posted: the process that holds the run has not taken it yet; if that has ended, ${resume} takes it`;
  }
  return report.isRunning ? `${said}; the run goes on` : `${said}; nothing runs now: continue with ${resume}`;
}

function readJson(args: Arguments, name: string): Json | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw usageError(
      `--${name}: ${error instanceof Error ? error.message : String(error)}`,
      'Give it as JSON.',
    );
  }
}
