/*
 * Whether a command is asked about. The only commands that are not are those that can be read to their end and of which every part
 * is known to be harmless, or trusted by the task. It decides when to ask and guarantees nothing: that is for the sandbox
 * that the command runs in, or for the person who is asked.
 */
import { matchTokens, matchesWildcards } from '../../kernel/match-glob.ts';
import { whyDenied } from './denied-command.ts';
import { HARMLESS_PROGRAMS, type HarmlessProgram, whyAskAbout } from './known-programs.ts';
import { isSecretName, mayBeSecret } from './secret-names.ts';
import { parseCommand, type SimpleCommand } from './parse-command.ts';

/** What a task says of commands. */
export interface CommandRules {
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly trusted: readonly string[];
}

/** Why a command is asked about; empty where it is known to be harmless, or trusted. */
export function commandDangers(text: string, trusted: readonly string[] = []): readonly string[] {
  const parsed = parseCommand(text);
  if (!parsed.ok) return [`it ${parsed.problem}`];
  const dangers = parsed.commands.flatMap((command) => [
    ...(command.isBackground ? ['it goes on in the background'] : []),
    ...command.reads.filter(isOutside).map((name) => `it reads ${JSON.stringify(name)}`),
    ...command.writes
      .filter((name) => !isPlainTarget(name))
      .map((name) => `it writes ${JSON.stringify(name)}`),
    ...(trusted.some((pattern) => matchesCommand(pattern, command.words)) ? [] : callDangers(command)),
  ]);
  return [...new Set(dangers)];
}

/** Why policy refuses a command, or null; what cannot be read whole is refused where there is a list of either kind. */
export function commandRefusal(text: string, rules: CommandRules): string | null {
  const denied = whyDenied(text, rules.deny);
  if (denied !== null) return denied;
  if (rules.allow === undefined) return null;
  const parsed = parseCommand(text);
  if (!parsed.ok) return `it ${parsed.problem}, and policy allows only some commands`;
  const other = parsed.commands.find(
    ({ words, writes }) =>
      writes.length > 0 || rules.allow?.some((pattern) => matchesCommand(pattern, words)) !== true,
  );
  return other === undefined ? null : `policy does not allow ${JSON.stringify(other.words.join(' '))}`;
}

/** Whether words match a pattern, word for word: `*` within a word, `**` for any words. */
function matchesCommand(pattern: string, words: readonly string[]): boolean {
  return matchTokens(pattern.trim().split(/\s+/), words, '**', matchesWildcards);
}

function callDangers({ words, globs }: SimpleCommand): string[] {
  const [program, ...args] = words;
  if (program === undefined) return ['it only redirects'];
  if (words.includes('{}') && globs.has('{}')) return ['it holds braces'];
  const known = HARMLESS_PROGRAMS.get(program);
  if (known === undefined || globs.has(program)) return [whyAskAbout(program)];
  return [
    ...optionDangers(program, known, args),
    ...(known.takesText === true
      ? []
      : args.filter(isOutside).map((arg) => `${program} is pointed at ${JSON.stringify(arg)}`)),
    ...(globs.size > 0 && known.mayGlob !== true
      ? [`${program} is given names that the shell fills in`]
      : []),
    ...[...globs]
      .filter((glob) => /^[./~]|\/\./.test(glob))
      .map((glob) => `${JSON.stringify(glob)} may name hidden files`),
    ...[...globs].filter(mayBeSecret).map((glob) => `${JSON.stringify(glob)} may name credentials`),
    ...(readsAllFiles(program, args) ? [`${program} reads every file, hidden ones too`] : []),
  ];
}

function optionDangers(program: string, known: HarmlessProgram, args: readonly string[]): string[] {
  const dangers: string[] = [];
  const { subcommands, operands, exactly, words = [] } = known;
  if (subcommands !== undefined && !subcommands.includes(args[0] ?? '')) dangers.push(whyAskAbout(program));
  if (args.some((arg) => words.includes(arg))) dangers.push(`${program} is told to do more than look`);
  const plain = args.filter((arg) => !arg.startsWith('-') || arg === '-');
  if (operands !== undefined && plain.length > operands)
    dangers.push(`${program} is given more than it needs to look`);
  if (exactly !== undefined && (plain.length !== exactly || plain.includes('-'))) {
    dangers.push(`${program} leads elsewhere`);
  }
  const bad = args.find((arg) => isDangerousOption(known, arg));
  if (bad !== undefined) dangers.push(`${program} is given ${JSON.stringify(bad)}`);
  return dangers;
}

/** Options of grep whose value is the next word. */
const GREP_VALUE =
  /^(?:-[A-Za-z0-9]*[ABCDdefm]|--(?:regexp|file|max-count|(?:after-|before-)?context|include|exclude(?:-dir|-from)?|label|directories|devices|binary-files|group-separator))$/;

/** Whether a program reads the contents of all that lies below the working folder. */
function readsAllFiles(program: string, args: readonly string[]): boolean {
  const isGrep = /^[ef]?grep$/.test(program);
  if (!isGrep && program !== 'diff') return false;
  if (!args.some((arg) => /^(?:-[^-]*[rR]|-[^-]*d|--(?:rec|der|di))/.test(arg))) return false;
  const operands = args.filter(
    (arg, index) => !arg.startsWith('-') && !(isGrep && GREP_VALUE.test(args[index - 1] ?? '')),
  );
  const hasPattern = args.some((arg) => /^(?:-[^-]*e|--reg)/.test(arg));
  const places = isGrep && !hasPattern ? operands.slice(1) : operands;
  if (isGrep && operands.length < 2 && !(hasPattern && places.length > 0)) return true;
  return places.some((place) => place.split('/').every((name) => name === '' || name === '.'));
}

/** Long options may be shortened, and letters may stand together. */
function isDangerousOption({ long = [], short = '' }: HarmlessProgram, arg: string): boolean {
  if (arg.startsWith('--')) {
    const name = arg.slice(2).split('=')[0] ?? '';
    return name !== '' && long.some((option) => option.startsWith(name));
  }
  return arg.startsWith('-') && Array.from(arg.slice(1)).some((letter) => short.includes(letter));
}

/** Whether a word names something outside of the workspace, or what is likely to hold credentials. */
function isOutside(word: string): boolean {
  if (word === '/dev/null') return false;
  if (/(?:^|[=:,@])[~/]|^-[A-Za-z]+[~/]/.test(word) || /(?:^|[/=:,])\.\.(?:\/|$)/.test(word)) return true;
  return word.split(/[/=:,]/).some(isSecretName);
}

/** A name below the working folder, none of it hidden. */
function isPlainTarget(name: string): boolean {
  return (
    name === '/dev/null' ||
    (!isOutside(name) && !/(?:^|\/)\./.test(name) && !name.startsWith('-') && name !== '')
  );
}
