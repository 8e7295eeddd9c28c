/*
 * Reads a command as a shell would, as far as it stands on the page: words, quotes, separators and redirections. Whatever
 * is known only when it runs (substitutions, variables, patterns in braces, loops, here documents) is not read: the command then
 * cannot be parsed, and counts as dangerous. See command-dangers.ts for what is done with what was read.
 */

/** One call of a program, quotes and escapes resolved. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** Words that the shell would match with the names of files. */
  readonly globs: ReadonlySet<string>;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The shell goes on before it has ended. */
  readonly isBackground: boolean;
}

/** The calls that a command consists of, or why it cannot be parsed. */
export type ParsedCommand =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | { readonly ok: false; readonly problem: string };

const MAX_LENGTH = 16_384;

/** What cannot be seen, or changes what a terminal shows. */
const HIDDEN = /[\p{Cf}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]/u;
const CONTROL = /[^\P{Cc}\t\n]/u;
const ODD_SPACE = /[^\P{Z} ]/u;

/** Escape sequences of terminals. */
const ANSI = /[\u001b\u009b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])?/g;

/**
 * The command as it is compared and shown: without the escape sequences of terminals and what cannot be seen, in the usual
 * width of letters, and with continued lines joined.
 */
export function normaliseCommand(text: string): string {
  return text
    .replace(ANSI, '')
    .normalize('NFKC')
    .replace(/\\\r?\n/g, '')
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/[^\P{Z} ]/gu, ' ')
    .trim();
}

/** The calls that a command consists of; see SimpleCommand. */
export function parseCommand(text: string): ParsedCommand {
  const problem = problemOfText(text);
  if (problem !== null) return { ok: false, problem };
  return new CommandReader(text.replace(/\\\n/g, '')).read();
}

function problemOfText(text: string): string | null {
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (CONTROL.test(text)) return 'holds control characters';
  if (HIDDEN.test(text)) return 'holds characters that cannot be seen';
  if (ODD_SPACE.test(text)) return 'holds spaces that only look like spaces';
  if (text.normalize('NFKC') !== text) return 'holds characters that stand for others';
  return null;
}

/** Words that begin what only a shell does. */
const RESERVED = new Set(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while'.split(
    ' ',
  ),
);

class CommandReader {
  readonly #text: string;
  #at = 0;
  #problem: string | null = null;
  readonly #commands: SimpleCommand[] = [];
  #words: string[] = [];
  #globs = new Set<string>();
  #reads: string[] = [];
  #writes: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): ParsedCommand {
    while (this.#at < this.#text.length && this.#problem === null) this.#step();
    this.#end(false);
    if (this.#problem !== null) return { ok: false, problem: this.#problem };
    return this.#commands.length === 0
      ? { ok: false, problem: 'is empty' }
      : { ok: true, commands: this.#commands };
  }

  #step(): void {
    const rest = this.#text.slice(this.#at, this.#at + 3);
    const operator = /^(?:&&|\|\||\|&|;;|;|\||&>|&|\n|[ \t]+|[<>()#])/.exec(rest)?.[0];
    if (operator === undefined) {
      this.#addWord();
      return;
    }
    if (operator === '>' || operator === '<' || operator === '&>') {
      this.#redirect();
      return;
    }
    this.#at += operator.length;
    switch (operator) {
      case ';':
      case '\n':
      case '&&':
      case '||':
      case '|':
        this.#end(false);
        return;
      case '&':
        this.#end(true);
        return;
      case '(':
      case ')':
        this.#fail('opens a shell of its own');
        return;
      case '#':
        this.#fail('holds a comment');
        return;
      case '|&':
      case ';;':
        this.#fail(`holds ${operator}`);
        return;
    }
  }

  #fail(problem: string): void {
    this.#problem ??= problem;
  }

  #end(isBackground: boolean): void {
    if (this.#words.length > 0 || this.#reads.length > 0 || this.#writes.length > 0) {
      const [first = ''] = this.#words;
      if (RESERVED.has(first)) this.#fail(`holds a construct of the shell: ${first}`);
      if (/^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(first)) this.#fail('sets a variable');
      this.#commands.push({
        words: this.#words,
        globs: this.#globs,
        reads: this.#reads,
        writes: this.#writes,
        isBackground,
      });
    }
    this.#words = [];
    this.#globs = new Set();
    this.#reads = [];
    this.#writes = [];
  }

  #addWord(): void {
    const word = this.#readWord();
    if (word === null) return;
    const next = this.#text[this.#at];
    // A number right before a redirection is the stream, not a word.
    if (/^\d+$/.test(word.text) && (next === '<' || next === '>')) {
      this.#redirect();
      return;
    }
    this.#words.push(word.text);
    if (word.isGlob) this.#globs.add(word.text);
  }

  #redirect(): void {
    const operator =
      /^(?:&>>|&>|>>|>&|<&|>\||<<|<>|<\(|>\(|<|>)/.exec(this.#text.slice(this.#at))?.[0] ?? '>';
    this.#at += operator.length;
    if (operator === '<<') this.#fail('holds a here document');
    if (operator === '<>') this.#fail('opens a file to read and write');
    if (operator.endsWith('(')) this.#fail('holds a process substitution');
    if (this.#problem !== null) return;
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
    const word = this.#readWord();
    if (word === null || word.isGlob) {
      this.#fail('redirects to what is not a plain name');
      return;
    }
    if (operator === '>&' || operator === '<&') {
      if (!/^(?:\d+|-)$/.test(word.text)) this.#fail('redirects a stream to a name');
      return;
    }
    if (operator === '<') this.#reads.push(word.text);
    else this.#writes.push(word.text);
  }

  /** The next word; null where there is none, or it cannot be read. */
  #readWord(): { readonly text: string; readonly isGlob: boolean } | null {
    let text = '';
    let isGlob = false;
    let isWord = false;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      if (/[\s;&|<>()]/.test(character)) break;
      isWord = true;
      this.#at++;
      switch (character) {
        case "'":
          text += this.#readQuoted();
          break;
        case '"':
          text += this.#readDoubleQuoted();
          break;
        case '\\':
          text += this.#readEscaped();
          break;
        case '$':
          this.#fail('holds what is known only when it runs: $');
          break;
        case '`':
          this.#fail('holds the output of another command');
          break;
        case '{':
          // By itself it is what find and xargs fill in.
          if (text === '' && /^\}(?:[\s;&|<>()]|$)/.test(this.#text.slice(this.#at, this.#at + 2))) {
            this.#at++;
            text = '{}';
            isGlob = true;
          } else this.#fail('holds braces, which stand for several words');
          break;
        case '}':
          this.#fail('holds braces, which stand for several words');
          break;
        case '*':
        case '?':
        case '[':
        case ']':
          isGlob ||= !(text === '' && character === '[' && this.#isLone());
          text += character;
          break;
        default:
          text += character;
      }
      if (this.#problem !== null) return null;
    }
    if (!isWord) this.#fail('ends where a word is missing');
    return isWord ? { text, isGlob } : null;
  }

  /** The character just read stands by itself, as in `[ -f x ]`. */
  #isLone(): boolean {
    const next = this.#text[this.#at];
    return next === undefined || next === ' ';
  }

  #readQuoted(): string {
    const end = this.#text.indexOf("'", this.#at);
    if (end < 0) {
      this.#fail('holds a quote that does not end');
      return '';
    }
    const quoted = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return quoted;
  }

  #readDoubleQuoted(): string {
    let text = '';
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at++] ?? '';
      if (character === '"') return text;
      if (character === '$' || character === '`') {
        this.#fail('holds what is known only when it runs, in quotes');
        return '';
      }
      if (character === '!') {
        this.#fail('holds what some shells look up in their history');
        return '';
      }
      const next = this.#text[this.#at] ?? '';
      if (character === '\\' && /["\\$`]/.test(next)) {
        text += next;
        this.#at++;
      } else text += character;
    }
    this.#fail('holds a quote that does not end');
    return '';
  }

  #readEscaped(): string {
    const character = this.#text[this.#at];
    if (character === undefined) {
      this.#fail('ends in a backslash');
      return '';
    }
    this.#at++;
    return character;
  }
}
