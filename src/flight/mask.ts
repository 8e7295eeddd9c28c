import { isJsonObject, type Json, setOwn } from '../kernel/json.ts';

/** What stands in the place of a credential. */
const MASK = '[masked]';

/** Shorter ones occur in ordinary text by chance. */
const MIN_SECRET_LENGTH = 8;

/** How the credential in the header of a request begins that is not the credential itself. */
const SCHEME = /^(?:Bearer|Basic|Token|Bot|Api-?Key)\s+/i;

/** Returns a value in which the known credentials are masked; the same object where it holds none. */
export type Masker = <T extends object | string>(value: T) => T;

/**
 * Masks every occurrence of these credentials (of at least 8 characters) in the strings and keys of plain JSON; of one
 * that begins with a scheme, such as `Bearer `, what follows it too. The
 * engine applies it where a value enters, before it is folded, so that live and resumed runs see the same.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const known = formsOf(secrets);
  if (known.length === 0) return (value) => value;
  const pattern = patternOf(known);
  const maskText = (text: string): string =>
    text.length < MIN_SECRET_LENGTH ? text : text.replace(pattern, MASK);
  return (value) => maskJson(value as Json, maskText) as typeof value;
}

/** Masks a text that comes in pieces: its outputs, joined, are the mask of the whole. */
export interface StreamMask {
  /** What can be told by now: the end that may yet become a credential is held back. */
  add(piece: string): string;
  /** What was held back, when no more comes. */
  end(): string;
}

/** A mask for one text, of the credentials that `secrets` gives when a piece of it comes. */
export function createStreamMask(secrets: () => readonly string[]): StreamMask {
  let held = '';
  return {
    add(piece) {
      const known = formsOf(secrets());
      const text = held + piece;
      const pattern = patternOf(known);
      let told = '';
      let at = 0;
      for (;;) {
        pattern.lastIndex = at;
        const match = known.length === 0 ? null : pattern.exec(text);
        const open = openFrom(text, at, match?.index ?? text.length, known);
        if (open !== null) {
          held = text.slice(open);
          return told + text.slice(at, open);
        }
        if (match === null) break;
        told += text.slice(at, match.index) + MASK;
        at = pattern.lastIndex;
      }
      held = '';
      return told + text.slice(at);
    },
    end() {
      const rest = createMasker(secrets())(held);
      held = '';
      return rest;
    },
  };
}

/** The first place, up to `to`, from which the text to its end is the beginning of a longer credential. */
function openFrom(text: string, from: number, to: number, known: readonly string[]): number | null {
  const longest = known[0]?.length ?? 0;
  for (let at = Math.max(from, text.length - longest + 1); at <= to && at < text.length; at++) {
    const end = text.slice(at);
    if (known.some((secret) => secret.length > end.length && secret.startsWith(end))) return at;
  }
  return null;
}

/** All texts that are masked for these credentials, the longest first: one may begin with another. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [secret, secret.trim(), secret.trim().replace(SCHEME, '')]);
  const known = [...new Set(forms)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  return known.sort((a, b) => b.length - a.length);
}

function patternOf(known: readonly string[]): RegExp {
  return new RegExp(known.map(escapePattern).join('|'), 'g');
}

/** Masks credentials as they become known: one is masked from when it is added on. */
export class CredentialMask {
  readonly #known = new Set<string>();
  #masker: Masker = createMasker([]);

  /** Makes credentials known, such as a key that was fetched anew. */
  add(...secrets: readonly string[]): void {
    const before = this.#known.size;
    for (const secret of secrets) this.#known.add(secret);
    if (this.#known.size > before) this.#masker = createMasker([...this.#known]);
  }

  /** The value with every known credential masked; the same object where it holds none. */
  readonly mask: Masker = (value) => this.#masker(value);

  /** A mask for one text that comes in pieces. */
  readonly openStream = (): StreamMask => createStreamMask(() => [...this.#known]);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function maskJson(value: Json, maskText: (text: string) => string): Json {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return maskList(value as readonly Json[], maskText);
  if (!isJsonObject(value)) return value;
  let isChanged = false;
  const masked: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const maskedKey = maskText(key);
    const maskedItem = maskJson(item, maskText);
    if (maskedKey !== key || maskedItem !== item) isChanged = true;
    setOwn(masked, maskedKey, maskedItem);
  }
  return isChanged ? masked : value;
}

function maskList(list: readonly Json[], maskText: (text: string) => string): Json {
  const masked = list.map((item) => maskJson(item, maskText));
  return masked.some((item, index) => item !== list[index]) ? masked : list;
}
