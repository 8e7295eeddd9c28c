import type { Options, PositionalOptions } from 'yargs';
import type { Io } from './io.ts';

/** The arguments of a command as they were given. */
export interface Arguments {
  /** The text of an option or positional; the last one where it was given more than once. */
  text(name: string): string | undefined;
  /** Every text of an option that may be given more than once. */
  texts(name: string): readonly string[];
  isSet(name: string): boolean;
  /** The fields of the task that were given: their texts by path in dots, the inputs as `name=value` under `input`. */
  readonly taskFlags: Readonly<Record<string, readonly string[]>>;
}

/** One command: what it takes, and what it does. */
export interface Command {
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly options?: Readonly<Record<string, Options>>;
  /** Whether every field of the task may be given as an option, or those of one part of it. */
  readonly takesTaskFields?: boolean | 'budget';
  /** What options stand for that may be given without a value. */
  readonly bareValues?: Readonly<Record<string, string>>;
  readonly examples?: readonly (readonly [string, string])[];
  /** Does the work; the answer is the exit code. */
  run(args: Arguments, io: Io): Promise<number>;
}

/** A command in the help, its own code not yet loaded. */
export interface CommandEntry {
  /** The command with its positionals, as yargs takes it. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Options that more than one command takes. */
export const SHARED_OPTIONS = {
  runsFolder: {
    'runs-folder': {
      type: 'string',
      requiresArg: true,
      describe: 'Folder that holds the runs (default: .orchestrate/runs)',
    },
  },
  input: {
    input: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe:
        'An input of the task, as name=value; a list as a,b or, where an item holds a comma, as JSON; may be given for each input',
    },
  },
  json: { json: { type: 'boolean', describe: 'Print JSON alone' } },
  yes: { yes: { type: 'boolean', alias: 'y', describe: 'Answer every question with yes' } },
} as const satisfies Record<string, Record<string, Options>>;

/** Options of the commands that export spans. */
export const TRACE_OPTIONS = {
  otlp: {
    type: 'string',
    requiresArg: true,
    describe: 'Send spans to this OTLP endpoint when the run has ended',
  },
  'capture-content': {
    type: 'boolean',
    describe: 'Put goal, prompts, answers, arguments and results on the spans',
  },
} as const satisfies Record<string, Options>;

/** Options of the commands that drive a run. */
export const WATCH_OPTIONS = {
  yes: {
    type: 'string',
    alias: 'y',
    choices: ['write', 'irreversible'],
    describe: 'Allow calls that wait for a person: those that write, with =irreversible all',
  },
  web: { type: 'boolean', describe: 'Show the run on a page while it goes on, and take answers there' },
  ...SHARED_OPTIONS.json,
  ...TRACE_OPTIONS,
} as const satisfies Record<string, Options>;
