/*
 * Whether a command holds one that policy denies. What is denied is looked for in every part, behind programs that run
 * others, and in words that are commands themselves. A command that cannot be read whole may hold anything, so it is refused, too.
 */
import { type GivenWord, meetsPattern } from './meet-pattern.ts';
import { HARMLESS_PROGRAMS, runsItsWords, runsPrograms } from './known-programs.ts';
import { normaliseCommand, parseCommand, type SimpleCommand } from './parse-command.ts';

/** Why policy refuses a command of which it denies some, or null. */
export function whyDenied(text: string, patterns: readonly string[]): string | null {
  if (patterns.length === 0) return null;
  const parsed = parseCommand(text);
  const read = parsed.ok ? parsed : parseCommand(normaliseCommand(text));
  const search = new DenialSearch(patterns);
  if (read.ok) search.lookAt(read.commands, 0);
  if (search.denied !== null) return `policy denies "${search.denied}"`;
  const problem = parsed.ok ? search.problem : parsed.problem;
  if (problem === null) return null;
  return (
    `it ${problem}, and where commands.deny is set only what can be read whole is run; ` +
    'write it in plain words, or leave commands.deny out'
  );
}

const MAX_DEPTH = 3;

/** Every word may begin what is denied, so time grows with their square. */
const MAX_WORDS = 1000;

/** Nothing that a shell would read as more than a word. */
const PLAIN_WORD = /^[\p{L}\p{N}\p{M}_./:=,@%+^-]*$/u;

/** Options of `find` behind which a command stands. */
const EXEC = /^-(?:exec|ok)(?:dir)?$/;

/** What they are given comes from elsewhere. */
const FEEDERS = new Set(['xargs', 'parallel']);

/** Their first word is no command. */
const LED_BY_A_NAME = new Set(['flock', 'chroot', 'ssh', 'su', 'runuser']);

const GIT: GivenWord = { text: 'git', isOpen: false };

class DenialSearch {
  denied: string | null = null;
  problem: string | null = null;
  readonly #patterns: readonly { readonly text: string; readonly words: readonly string[] }[];

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((text) => {
      const [program = '', ...words] = text.trim().split(/\s+/).map(foldWord);
      const name = nameOf(program);
      return { text, words: [/^\**$/.test(name) ? program : name, ...words] };
    });
  }

  lookAt(commands: readonly SimpleCommand[], depth: number): void {
    for (const command of commands) {
      this.#lookForCalls(command);
      if (this.problem !== null || this.denied !== null) return;
      this.#lookForProblems(command.words);
      this.#lookIntoWords(command, depth);
    }
  }

  #lookForCalls(command: Pick<SimpleCommand, 'words' | 'globs'>): void {
    const words = command.words.slice(0, MAX_WORDS);
    if (command.words.length > MAX_WORDS) this.problem ??= `has more than ${MAX_WORDS} words in one part`;
    const given = givenWords({ words, globs: command.globs });
    const isFed = words.some((word) => FEEDERS.has(nameOf(word)));
    for (const [from, word] of given.entries()) {
      if (word.isOpen && !mayStart(words, from)) continue;
      const call = [{ ...word, text: nameOf(word.text) }, ...given.slice(from + 1)];
      this.#match(call, isFed);
      const subcommand = /^git-(.+)$/s.exec(call[0]?.text ?? '')?.[1];
      if (subcommand !== undefined)
        this.#match([GIT, { ...word, text: subcommand }, ...call.slice(1)], isFed);
      // Where find is told that a command ends, and where parallel is told what to add.
      const end = call.findIndex(({ text }) => /^(?:;|\+|:{3,4}\+?)$/.test(text));
      if (end > 0) this.#match(call.slice(0, end), isFed);
    }
  }

  #match(call: readonly GivenWord[], isFed: boolean): void {
    for (const { text, words } of this.#patterns) {
      if (this.denied === null && meetsPattern(words, call, isFed)) this.denied = text;
    }
  }

  #lookForProblems(words: readonly string[]): void {
    if (words.some((word) => nameOf(word) === 'git') && words.some((word) => /^(?:-c)?alias\./i.test(word))) {
      this.problem ??= 'gives commands of git other names';
    }
    if (evaluatesNames(words)) this.problem ??= 'may run what stands in the name of a variable';
    for (const [index, word] of words.entries()) {
      const name = nameOf(word);
      const rest = words.slice(index + 1).filter((operand) => operand !== ';' && operand !== '+');
      const isFedAll =
        FEEDERS.has(name) && rest.length > 0 && rest.every((inner) => runsPrograms(nameOf(inner)));
      if (isFedAll || (mayStart(words, index) && readsCommands(name, rest))) {
        this.problem ??= `lets ${name} run what it reads`;
      }
    }
  }

  #lookIntoWords({ words, globs }: SimpleCommand, depth: number): void {
    const runner = runnerIn(words);
    const filled = ['{}', replacedWord(words) ?? '{}'];
    for (const [index, word] of words.entries()) {
      const isCode = /^-\w*c$/.test(words[index - 1] ?? '');
      const isRun = runner >= 0 && index > runner && !PLAIN_WORD.test(word) && (isCode || !globs.has(word));
      if ((isRun || (isCode && runner >= 0)) && filled.some((text) => word.includes(text))) {
        this.problem ??= `runs ${JSON.stringify(word)}, which is filled in when it runs`;
      }
      if (isRun || /[\s;&|]/.test(word)) this.#lookInto(word.replace(/^!/, ''), isRun, depth);
      for (const value of valuesIn(word)) this.#lookInto(value, false, depth);
    }
    if (nameOf(words[runner] ?? '') === 'eval')
      this.#lookInto(words.slice(runner + 1).join(' '), true, depth);
  }

  #lookInto(text: string, isRun: boolean, depth: number): void {
    const parsed = parseCommand(text);
    if (parsed.ok && depth < MAX_DEPTH) this.lookAt(parsed.commands, depth + 1);
    else if (isRun) {
      const problem = parsed.ok ? `holds commands more than ${MAX_DEPTH} deep` : parsed.problem;
      this.problem ??= `runs ${JSON.stringify(text)}, which ${problem}`;
    }
    // Whatever stands around them: other languages have other signs.
    const words = text.split(/[^\p{L}\p{N}\p{M}_./:,@%+^-]+/u).filter((word) => word !== '');
    this.#lookForCalls({ words, globs: new Set() });
  }
}

/** The place of the first program that takes its words as code; -1 where there is none. */
function runnerIn(words: readonly string[]): number {
  const [first = ''] = words;
  if (HARMLESS_PROGRAMS.has(first) && first !== 'find' && first !== 'git') return -1;
  return words.findIndex((word, index) => (index === 0 || word !== '.') && runsItsWords(nameOf(word)));
}

const TAKES_VARIABLES = new Set(
  'read unset declare typeset local export readonly mapfile readarray getopts wait'.split(' '),
);

/** Whether a shell calculates with its words, or takes them as variables of which it works out the index. */
function evaluatesNames(words: readonly string[]): boolean {
  const names = words.map(nameOf);
  if (names.includes('let')) return true;
  if (!words.some((word) => word.length > 1 && word.includes('['))) return false;
  return (
    names.some((name) => TAKES_VARIABLES.has(name)) ||
    (names.includes('printf') && words.some((word) => word.startsWith('-v'))) ||
    (words.some((word) => word === 'test' || word === '[') && words.some((word) => /^-[vR]$/.test(word)))
  );
}

/** What an option or a setting is given within a word: it may be a command. */
function valuesIn(word: string): string[] {
  const value = /^[^=\s]*=(.+)$/s.exec(word)?.[1];
  const attached = /^-[A-Za-z](.*[\s;&|].*)$/s.exec(word)?.[1];
  return [value, attached].filter((text) => text !== undefined).map((text) => text.replace(/^!/, ''));
}

/** The words as they are compared; those that are filled in later are open. */
function givenWords({ words, globs }: Pick<SimpleCommand, 'words' | 'globs'>): GivenWord[] {
  const replaced = replacedWord(words);
  return words.map((word) => {
    const isFilled = word === '{}' || (replaced !== null && word.includes(replaced));
    if (isFilled) return { text: '*', isOpen: true };
    if (!globs.has(word)) return { text: foldWord(word), isOpen: false };
    return { text: foldWord(word).replace(/\[[^\]]*\]/g, '?'), isOpen: true };
  });
}

/** What xargs replaces. */
function replacedWord(words: readonly string[]): string | null {
  const feeder = words.findIndex((word) => FEEDERS.has(nameOf(word)));
  if (feeder < 0) return null;
  for (const [index, word] of words.entries()) {
    if (index <= feeder) continue;
    const attached = /^(?:-[Ii]|--replace=?)(.*)$/s.exec(word)?.[1];
    if (attached === undefined) continue;
    if (attached !== '') return attached;
    return word === '-I' ? (words[index + 1] ?? '{}') : '{}';
  }
  return null;
}

/** Whether a word that is filled in later may be the name of a program. */
function mayStart(words: readonly string[], index: number): boolean {
  if (index === 0) return true;
  const before = words[index - 1] ?? '';
  const first = nameOf(words[0] ?? '');
  if (first === 'find') return EXEC.test(before);
  return before !== '-I' && runsPrograms(first) && !hasBegun(words, index);
}

/** Whether the command that a program runs has begun before a word. */
function hasBegun(words: readonly string[], index: number): boolean {
  if (LED_BY_A_NAME.has(nameOf(words[0] ?? ''))) return false;
  return words.slice(1, index).some((word, place) => {
    const isValue = words[place]?.startsWith('-') === true;
    return !isValue && !/^[-+\d]|=/.test(word) && !runsPrograms(nameOf(word));
  });
}

const INTERPRETER =
  /^(?:(?:ba|da|z|k|c|tc|fi|a)?sh|\.|source|python[\d.]*|perl|ruby|node|php|bun|deno|lua|tclsh|pwsh|at|batch)$/;

/** Whether a program takes commands from what it reads, for its operands name none. */
function readsCommands(name: string, operands: readonly string[]): boolean {
  if (!INTERPRETER.test(name)) return false;
  if (operands.some((operand) => /^(?:-|\/dev\/.*|\/proc\/.*)$/s.test(operand))) return true;
  if (name.endsWith('sh') && operands.some((operand) => /^-[a-z]*s[a-z]*$/.test(operand))) return true;
  if (/^--(?:version|help)$/.test(operands.join(' '))) return false;
  return operands.every((operand) => operand.startsWith('-'));
}

function nameOf(word: string): string {
  return foldWord(word.slice(word.lastIndexOf('/') + 1));
}

function foldWord(word: string): string {
  return word.normalize('NFKC').toLowerCase();
}
