import yargs, { type Argv, type Options } from 'yargs';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { readArguments } from './arguments.ts';
import type { Arguments, Command, CommandEntry } from './command.ts';
import { COMMANDS } from './command-table.ts';
import { type Io, widthOf } from './io.ts';
import { usageError } from './usage-error.ts';
import { readVersion } from '../compose/read-version.ts';

/** A command line that was understood. */
interface Invocation {
  readonly command: Command;
  readonly args: Arguments;
}

interface LoadedCommand extends Pick<CommandEntry, 'usage'> {
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
  const { path, isGroup, extra } = readPath(parsed['_'] as readonly string[]);
  // A group alone is a question for what it holds.
  if (isGroup && extra.length === 0) return parseCommandLine([path, '--help'], io);
  const chosen = loaded.get(path);
  if (chosen === undefined) throw isGroup ? unknownCommand(extra[0], path) : unknownCommand(path);
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

/** What the words name: a command by its path (`run`, `memory search`), or a group of commands alone. */
function readPath([name = '', ...extra]: readonly string[]): {
  readonly path: string;
  readonly isGroup: boolean;
  readonly extra: readonly string[];
} {
  const entry = entryOf(COMMANDS, name);
  if (entry === undefined || !('commands' in entry)) return { path: name, isGroup: false, extra };
  const [below, ...rest] = extra;
  return entryOf(entry.commands, below) === undefined
    ? { path: name, isGroup: true, extra }
    : { path: `${name} ${below ?? ''}`, isGroup: false, extra: rest };
}

function entryOf<Entry>(
  entries: Readonly<Record<string, Entry>>,
  name: string | undefined,
): Entry | undefined {
  return name !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/**
 * Yargs wants the options of a command at once, so the commands that the words name are loaded before it starts; they
 * are found by their path.
 */
async function loadCommands(words: readonly string[]): Promise<Map<string, LoadedCommand>> {
  const loaded = new Map<string, LoadedCommand>();
  for (const [path, { usage, load }] of entriesIn(words)) {
    const command = await load();
    const fields = await fieldsOf(command, words);
    loaded.set(path, {
      usage: path.slice(0, path.lastIndexOf(' ') + 1) + usage,
      command,
      options: { ...command.options, ...fields },
      taskFields: Object.keys(fields),
    });
  }
  return loaded;
}

/** Every command that the words could mean: which of them are arguments is not known yet. */
function entriesIn(words: readonly string[]): Map<string, CommandEntry> {
  const found = new Map<string, CommandEntry>();
  for (const [index, name] of words.entries()) {
    const entry = entryOf(COMMANDS, name);
    if (entry === undefined) continue;
    if ('load' in entry) found.set(name, entry);
    else
      for (const below of words.slice(index + 1)) {
        const entryBelow = entryOf(entry.commands, below);
        if (entryBelow !== undefined) found.set(`${name} ${below}`, entryBelow);
      }
  }
  return found;
}

async function fieldsOf(command: Command, words: readonly string[]): Promise<Record<string, Options>> {
  if (command.takesTaskFields === undefined || command.takesTaskFields === false) return {};
  // They are many, and reading them off the schema takes a tenth of a short run.
  if (words.every((word) => !word.startsWith('-') || isOwnOption(word, command))) return {};
  const { namedFieldOptions, taskFieldOptions } = await import('./task-fields.ts');
  const fields = { ...taskFieldOptions(), ...namedFieldOptions(words) };
  if (command.takesTaskFields === true) return fields;
  const part = `${command.takesTaskFields}.`;
  return Object.fromEntries(Object.entries(fields).filter(([path]) => path.startsWith(part)));
}

/** Whether a word is an option of the command itself, so that no field of the task can be meant. */
function isOwnOption(word: string, command: Command): boolean {
  const name = /^--([^=]+)/.exec(word)?.[1] ?? '';
  return Object.hasOwn(command.options ?? {}, name) || Object.hasOwn(GLOBAL_OPTIONS, name);
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
  return addCommands(parser, COMMANDS, '', loaded);
}

function addCommands(
  parser: Argv,
  entries: typeof COMMANDS,
  prefix: string,
  loaded: ReadonlyMap<string, LoadedCommand>,
): Argv {
  const leave = (values: object): void => {
    throw new ParsedArguments({ ...values });
  };
  for (const [name, entry] of Object.entries(entries)) {
    const build = (builder: Argv): Argv =>
      'load' in entry
        ? addArguments(builder, loaded.get(prefix + name))
        : addCommands(builder, entry.commands, `${name} `, loaded).epilogue('');
    parser.command('load' in entry ? entry.usage : name, entry.summary, build, leave);
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
  const [name = ''] = loaded.keys();
  const hint = `See \`orchestrate ${name} --help\`.`;
  if (message.startsWith('Not enough non-option arguments')) {
    // Yargs gives the word after an option that it does not know to that option.
    const chosen = loaded.get(name);
    const unknown = words
      .map((word) => /^--([^=]+)/.exec(word)?.[1])
      .find((option) => isUnknown(option, chosen));
    if (unknown !== undefined) return unknownOption(unknown, namesOf(chosen));
    return usageError(`an argument is missing: orchestrate ${chosen?.usage ?? ''}`, hint);
  }
  const needy = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (needy !== undefined) return usageError(`--${needy} needs a value`, hint);
  const choice = /Argument: (.+), Given: (.+), Choices: (.+)/.exec(message);
  if (choice !== null)
    return usageError(`${choice[1] ?? ''}: ${choice[2] ?? ''} is none of ${choice[3] ?? ''}`, hint);
  return usageError(message, hint);
}

function unknownCommand(name: string | undefined, group?: string): OrchestratorError {
  if (name === undefined || name === '') return usageError('no command was given');
  const entry = entryOf(COMMANDS, group);
  const isBelow = entry !== undefined && 'commands' in entry;
  const near = didYouMean(name, Object.keys(isBelow ? entry.commands : COMMANDS));
  const path = group === undefined ? '' : `${group} `;
  return usageError(
    `there is no command ${JSON.stringify(path + name)}`,
    near === null ? `See \`orchestrate ${path}--help\`.` : `Did you mean \`orchestrate ${path}${near}\`?`,
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
  return usageError(`there is no option --${option}`, hintForUnknown(option, known));
}

function hintForUnknown(option: string, known: readonly string[]): string | undefined {
  const near = didYouMean(option, known);
  if (near !== null) return `Did you mean --${near}?`;
  const fields = known.filter((name) => name.startsWith(`${option}.`));
  if (fields.length > 0) return `Its fields are options: --${fields.slice(0, 3).join(', --')} …`;
  if (!known.includes('input') || !/^\w+$/.test(option)) return undefined;
  return `An input of the task is given as --input ${option}=…`;
}
