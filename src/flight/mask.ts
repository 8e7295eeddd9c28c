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
  const forms = secrets.flatMap((secret) => [secret, secret.trim(), secret.trim().replace(SCHEME, '')]);
  const known = [...new Set(forms)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  if (known.length === 0) return (value) => value;
  // The longest first: one credential may begin with another.
  known.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(known.map(escapePattern).join('|'), 'g');
  const maskText = (text: string): string =>
    text.length < MIN_SECRET_LENGTH ? text : text.replace(pattern, MASK);
  return (value) => maskJson(value as Json, maskText) as typeof value;
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
