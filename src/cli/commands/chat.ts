import { type Arguments, type Command, SHARED_OPTIONS } from '../command.ts';
import { readCount } from '../read-amounts.ts';
import { usageError } from '../usage-error.ts';

const MOST_CONTINUOUS = 1000;

/** Talks with an agent that has the tools, the budget and the policy of a task. */
export const chatCommand: Command = {
  positionals: {
    task: { type: 'string', describe: 'The task file (default: task.yaml); with --resume, the session' },
  },
  options: {
    resume: {
      type: 'string',
      describe: 'Go on with a session: the last one, or the one that is named by id or unique prefix',
    },
    message: {
      type: 'string',
      alias: 'm',
      requiresArg: true,
      describe: 'Say this, print the answer, and leave',
    },
    continuous: {
      type: 'string',
      describe: 'Make so many calls without asking, irreversible ones excepted (50 where no number is given)',
    },
    ...SHARED_OPTIONS.input,
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  bareValues: { resume: 'last', continuous: '50' },
  takesTaskFields: true,
  examples: [
    ['orchestrate chat task.yaml', 'Talk with an agent that has the tools of a task'],
    ['orchestrate chat --resume', 'Go on with the last session'],
    ['orchestrate chat --continuous=20', 'The next 20 calls are made without asking'],
    [
      'orchestrate chat task.yaml --json < questions.txt',
      'One message a line, one line of JSON for each answer',
    ],
  ],
  async run(args, io) {
    const { talk } = await import('../chat/talk.ts');
    return talk(readWishes(args), args, io);
  },
};

/** What the command line asks for. */
export interface ChatWishes {
  /** The task file; null where none is named. */
  readonly task: string | null;
  /** The session to go on with by name; null for a new one. */
  readonly resume: string | null;
  readonly message: string | null;
  /** Calls that are made without asking. */
  readonly continuous: number;
  readonly isJson: boolean;
}

function readWishes(args: Arguments): ChatWishes {
  const word = args.text('task');
  const resume = args.text('resume');
  if (resume !== undefined && resume !== 'last' && word !== undefined) {
    throw usageError(
      `--resume=${resume} and ${JSON.stringify(word)}: one session can be gone on with`,
      'A session keeps its task: name the session alone.',
    );
  }
  const continuous = readCount(args.text('continuous'), '--continuous') ?? 0;
  if (continuous > MOST_CONTINUOUS) {
    throw usageError(`--continuous ${continuous}: expected ${MOST_CONTINUOUS} at most`);
  }
  return {
    task: resume === undefined ? (word ?? null) : null,
    resume: resume === undefined ? null : (word ?? resume),
    message: args.text('message') ?? null,
    continuous,
    isJson: args.isSet('json'),
  };
}
