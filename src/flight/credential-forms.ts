import { FormAutomaton } from './form-automaton.ts';

/** What stands in the place of a credential. */
const MASK = '[masked]';

/** Shorter ones occur in ordinary text by chance. */
const MIN_SECRET_LENGTH = 8;

/** How the credential in the header of a request begins that is not the credential itself. */
const SCHEME = /^(?:Bearer|Basic|Token|Bot|Api-?Key)\s+/i;

/** Texts as which credentials occur, and what finds them; where some overlap, they are one. */
export class CredentialForms {
  readonly #forms: readonly string[];
  readonly #pattern: RegExp;
  #automaton: FormAutomaton | null = null;

  constructor(secrets: readonly string[]) {
    this.#forms = formsOf(secrets);
    this.#pattern = new RegExp(this.#forms.map(escapePattern).join('|'), 'g');
  }

  get isEmpty(): boolean {
    return this.#forms.length === 0;
  }

  /** The text with a mask in the place of each credential. */
  mask(text: string): string {
    if (this.isEmpty || text.length < MIN_SECRET_LENGTH) return text;
    let masked = '';
    let at = 0;
    for (;;) {
      this.#pattern.lastIndex = at;
      const match = this.#pattern.exec(text);
      if (match === null) return at === 0 ? text : masked + text.slice(at);
      masked += text.slice(at, match.index) + MASK;
      at = this.#endFrom(text, match.index, this.#pattern.lastIndex);
    }
  }

  /** A mask for one text that comes in pieces. */
  openText(): OpenText {
    this.#automaton ??= new FormAutomaton(this.#forms);
    return new OpenText(this.#automaton);
  }

  /** Where what begins at `start` ends, with all that overlaps it. */
  #endFrom(text: string, start: number, firstEnd: number): number {
    const automaton = (this.#automaton ??= new FormAutomaton(this.#forms));
    let end = firstEnd;
    let state = 0;
    for (let to = start + 1; to <= text.length; to++) {
      state = automaton.step(state, text.charCodeAt(to - 1));
      if (to > end && to - automaton.endingAt(state) < end) end = to;
      if (to >= end && to - automaton.openAt(state) >= end) break;
    }
    return end;
  }
}

/** A text that is not at its end: what may yet become a credential, or part of one that is found, is held back. */
class OpenText {
  readonly #automaton: FormAutomaton;
  #state = 0;
  /** What was not told yet. */
  #held = '';
  /** The credentials in it, in their order, as far as is known now. */
  #found: { readonly start: number; readonly end: number }[] = [];

  constructor(automaton: FormAutomaton) {
    this.#automaton = automaton;
  }

  get held(): string {
    return this.#held;
  }

  add(piece: string): string {
    const before = this.#held.length;
    this.#held += piece;
    for (let index = 0; index < piece.length; index++) {
      this.#state = this.#automaton.step(this.#state, piece.charCodeAt(index));
      const length = this.#automaton.endingAt(this.#state);
      if (length > 0) this.#find(before + index + 1 - length, before + index + 1);
    }
    return this.#tell(this.#held.length - this.#automaton.openAt(this.#state));
  }

  end(): string {
    return this.#tell(this.#held.length);
  }

  #find(start: number, end: number): void {
    let from = start;
    for (let last = this.#found.at(-1); last !== undefined && last.end > start; last = this.#found.at(-1)) {
      from = Math.min(from, last.start);
      this.#found.pop();
    }
    this.#found.push({ start: from, end });
  }

  /** Tells what comes before the place from which a credential may yet begin. */
  #tell(open: number): string {
    const isSettled = (end: number): boolean => end <= open;
    const settled = this.#found.filter(({ end }) => isSettled(end));
    const rest = this.#found.slice(settled.length);
    const to = Math.min(open, rest[0]?.start ?? open);
    let told = '';
    let at = 0;
    for (const { start, end } of settled) {
      told += this.#held.slice(at, start) + MASK;
      at = end;
    }
    told += this.#held.slice(at, to);
    this.#held = this.#held.slice(to);
    this.#found = rest.map(({ start, end }) => ({ start: start - to, end: end - to }));
    return told;
  }
}

/** All texts that are masked for these credentials, the longest first: one may begin with another. */
function formsOf(secrets: readonly string[]): string[] {
  const plain = secrets
    .flatMap((secret) => [secret, secret.trim(), secret.trim().replace(SCHEME, '')])
    .filter((form) => form.length >= MIN_SECRET_LENGTH);
  const forms = [...new Set(plain)]
    .flatMap(withLineEnds)
    .flatMap((form) => [form, ...JSON_WRITERS.flatMap((write) => withEscapes(form, write)), ...inUrls(form)]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** A text of several lines is ended by either, whoever wrote it down. */
function withLineEnds(text: string): string[] {
  const unix = text.replaceAll('\r\n', '\n');
  return [text, unix, unix.replaceAll('\n', '\r\n')];
}

/** What writers of JSON escape beyond what they must: slashes, letters beyond ASCII, what is markup in HTML. */
const JSON_WRITERS: readonly ((text: string) => string)[] = [
  escapeJson,
  (text) => escapeJson(text).replaceAll('/', '\\/'),
  (text) => escapeUnits(escapeJson(text), BEYOND_ASCII),
  (text) => escapeUnits(escapeJson(text).replaceAll('/', '\\/'), BEYOND_ASCII),
  (text) => escapeUnits(escapeJson(text), MARKUP),
  // As Gson writes it.
  (text) => escapeUnits(escapeJson(text), HTML),
  (text) => inCapitals(escapeUnits(escapeJson(text), BEYOND_ASCII)),
  // As .NET writes it.
  (text) => inCapitals(escapeUnits(escapeJson(text).replaceAll(PAIR, unpair), SCRIPT)),
];

const BEYOND_ASCII = /[^\0-\x7e]/g;
const MARKUP = /[<>&\u2028\u2029]/g;
const HTML = /[<>&='\u2028\u2029]/g;
const SCRIPT = /[^\0-\x7e]|[<>&'+`]/g;
const PAIR = /\\[^u]/g;

/** In a text of JSON, and in one that is itself a string in JSON. */
function withEscapes(text: string, write: (text: string) => string): string[] {
  const once = write(text);
  return [once, write(once), escapeJson(once)];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeUnits(text: string, pattern: RegExp): string {
  return text.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A backslash and what it escapes, a quote as its number. */
function unpair(pair: string): string {
  return pair === '\\"' ? '\\u0022' : pair;
}

function inCapitals(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})|\\\\/g, (found, digits?: string) =>
    digits === undefined ? found : `\\u${digits.toUpperCase()}`,
  );
}

/** In a form, whose blanks are `+`, in a query and in a path, by those who encode more signs and less. */
function inUrls(text: string): string[] {
  const inForm = new URLSearchParams({ '': text }).toString().slice(1);
  const strict = inForm.replaceAll('+', '%20');
  const lax = strict.replaceAll(/%(?:21|27|28|29|7E)/g, decodeURIComponent);
  return [inForm, strict, lax, lax.replaceAll('%2F', '/')].flatMap((form) => [form, inSmallLetters(form)]);
}

function inSmallLetters(url: string): string {
  return url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
