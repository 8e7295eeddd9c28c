import yargs, { type Argv, type Options } from 'yargs';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { readArguments } from './arguments.ts';
import type { Arguments, Command } from './command.ts';
import { COMMANDS } from './command-table.ts';
import { type Io, widthOf } from './io.ts';
import { usageError } from './usage-error.ts';
import { readVersion } from './version.ts';

/** A command line that was understood. */
interface Invocation {
  readonly command: Command;
  readonly args: Arguments;
}

interface LoadedCommand {
  readonly command: Command;
  readonly options: Readonly<Record<string, Options>>;
  /** Which of the options are fields of the task. */
  readonly taskFields: readonly string[];
}

const GLOBAL_OPTIONS = {
  debug: { type: 'boolean', describe: 'Print the stack of an unexpected error' },
} as const satisfies Record<string, Options>;

/**
 * The command that was asked for, with its arguments; null where help, the version or completions were asked for and
 * printed. Throws `usage` for what it does not understand.
 */
export async function parseCommandLine(words: readonly string[], io: Io): Promise<Invocation | null> {
  const loaded = await loadCommands(words);
  const parser = createParser(withBareValues(words, loaded), loaded, io);
  if (words.length === 0) {
    parser.showHelp('log');
    return null;
  }
  const parsed = await parseWords(parser);
  if (parsed['help'] === true || parsed['version'] === true || 'get-yargs-completions' in parsed) return null;
  const [name, ...extra] = parsed['_'] as readonly string[];
  const chosen = loaded.get(name ?? '');
  if (chosen === undefined) throw unknownCommand(name);
  refuseUnknown(parsed, chosen, extra);
  return { command: chosen.command, args: readArguments(parsed, chosen.taskFields) };
}

/** Carries the arguments out of yargs. */
class ParsedArguments extends Error {
  readonly values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    super();
    this.values = values;
  }
}

/**
 * Yargs renders the help of a command after its handler, asked or not, which takes longer than everything else it
 * does; the handler leaves by throwing.
 */
async function parseWords(parser: Argv): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await parser.parseAsync();
  } catch (error) {
    if (error instanceof ParsedArguments) return error.values;
    throw error;
  }
}

/** Yargs would give the word after an option without a value to that option. */
function withBareValues(words: readonly string[], loaded: ReadonlyMap<string, LoadedCommand>): string[] {
  const bare = new Map<string, string>();
  for (const { command, options } of loaded.values()) {
    for (const [name, value] of Object.entries(command.bareValues ?? {})) {
      const alias = options[name]?.alias;
      bare.set(`--${name}`, `--${name}=${value}`);
      if (typeof alias === 'string') bare.set(`-${alias}`, `--${name}=${value}`);
    }
  }
  return words.map((word) => bare.get(word) ?? word);
}

/** Yargs wants the options of a command at once, so the commands that the words name are loaded before it starts. */
async function loadCommands(words: readonly string[]): Promise<Map<string, LoadedCommand>> {
  const loaded = new Map<string, LoadedCommand>();
  for (const name of words) {
    if (loaded.has(name) || !Object.hasOwn(COMMANDS, name)) continue;
    const command = await COMMANDS[name]?.load();
    if (command === undefined) continue;
    const fields = await fieldsOf(command, words);
    loaded.set(name, {
      command,
      options: { ...command.options, ...fields },
      taskFields: Object.keys(fields),
    });
  }
  return loaded;
}

async function fieldsOf(command: Command, words: readonly string[]): Promise<Record<string, Options>> {
  if (command.takesTaskFields === undefined || command.takesTaskFields === false) return {};
  const { namedFieldOptions, taskFieldOptions } = await import('./task-fields.ts');
  const fields = { ...taskFieldOptions(), ...namedFieldOptions(words) };
  if (command.takesTaskFields === true) return fields;
  const part = `${command.takesTaskFields}.`;
  return Object.fromEntries(Object.entries(fields).filter(([path]) => path.startsWith(part)));
}

function createParser(words: readonly string[], loaded: ReadonlyMap<string, LoadedCommand>, io: Io): Argv {
  const parser = yargs([...words])
    .scriptName('orchestrate')
    .locale('en')
    .usage(
      '$0 <command> [options]\n\nTurns a goal and a catalogue of tools into a verified result inside a hard budget.',
    )
    .wrap(Math.min(widthOf(io.stdout, io.env), 110))
    .parserConfiguration({
      'dot-notation': false,
      'camel-case-expansion': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': false,
      'greedy-arrays': false,
    })
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      if (error !== undefined && error.name !== 'YError') throw error;
      throw toUsageError(message ?? error?.message ?? '', words, loaded);
    })
    .options(GLOBAL_OPTIONS)
    .help()
    .alias('help', 'h')
    .version(readVersion())
    .epilogue('Start with `orchestrate init`, then `orchestrate run task.yaml`.');
  for (const [name, { usage, summary }] of Object.entries(COMMANDS)) {
    const leave = (values: object): void => {
      throw new ParsedArguments({ ...values });
    };
    parser.command(usage, summary, (builder) => addArguments(builder, loaded.get(name)), leave);
  }
  return parser;
}

function addArguments(builder: Argv, loaded: LoadedCommand | undefined): Argv {
  if (loaded === undefined) return builder;
  const { command, options } = loaded;
  for (const [name, positional] of Object.entries(command.positionals ?? {}))
    builder.positional(name, positional);
  for (const [line, meaning] of command.examples ?? []) builder.example(line, meaning);
  return builder.options({ ...options }).epilogue('');
}

/** What yargs says of a command line, in the words of this program. */
function toUsageError(
  message: string,
  words: readonly string[],
  loaded: ReadonlyMap<string, LoadedCommand>,
): OrchestratorError {
  const name = [...loaded.keys()].find((candidate) => words.includes(candidate)) ?? '';
  const hint = `See \`orchestrate ${name} --help\`.`;
  if (message.startsWith('Not enough non-option arguments')) {
    // Yargs gives the word after an option that it does not know to that option.
    const chosen = loaded.get(name);
    const unknown = words
      .map((word) => /^--([^=]+)/.exec(word)?.[1])
      .find((option) => isUnknown(option, chosen));
    if (unknown !== undefined) return unknownOption(unknown, namesOf(chosen));
    return usageError(`an argument is missing: orchestrate ${COMMANDS[name]?.usage ?? ''}`, hint);
  }
  const needy = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (needy !== undefined) return usageError(`--${needy} needs a value`, hint);
  const choice = /Argument: (.+), Given: (.+), Choices: (.+)/.exec(message);
  if (choice !== null)
    return usageError(`${choice[1] ?? ''}: ${choice[2] ?? ''} is none of ${choice[3] ?? ''}`, hint);
  return usageError(message, hint);
}

function unknownCommand(name: string | undefined): OrchestratorError {
  if (name === undefined) return usageError('no command was given');
  const near = didYouMean(name, Object.keys(COMMANDS));
  return usageError(
    `there is no command ${JSON.stringify(name)}`,
    near === null ? undefined : `Did you mean \`orchestrate ${near}\`?`,
  );
}

function refuseUnknown(
  parsed: Readonly<Record<string, unknown>>,
  chosen: LoadedCommand,
  extra: readonly string[],
): void {
  const rest = new Set(['_', '$0', ...Object.keys(chosen.command.positionals ?? {})]);
  const unknown = Object.keys(parsed).find((key) => !rest.has(key) && isUnknown(key, chosen));
  if (unknown !== undefined) throw unknownOption(unknown, namesOf(chosen));
  if (extra[0] !== undefined) throw usageError(`one argument too many: ${JSON.stringify(extra[0])}`);
}

function namesOf(chosen: LoadedCommand | undefined): string[] {
  return ['help', 'version', ...Object.keys(GLOBAL_OPTIONS), ...Object.keys(chosen?.options ?? {})];
}

function isUnknown(option: string | undefined, chosen: LoadedCommand | undefined): boolean {
  const aliases = Object.values(chosen?.options ?? {}).flatMap(({ alias }) => [alias ?? []].flat());
  return option !== undefined && !['h', ...aliases, ...namesOf(chosen)].includes(option);
}

function unknownOption(option: string, known: readonly string[]): OrchestratorError {
  if (option.length === 1) return usageError(`there is no option -${option}`);
  const near = didYouMean(option, known);
  return usageError(`there is no option --${option}`, near === null ? undefined : `Did you mean --${near}?`);
}
