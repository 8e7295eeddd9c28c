import { isJsonObject, type Json, setOwn } from '../kernel/json.ts';
import { CredentialForms } from './credential-forms.ts';

/** Returns a value in which the known credentials are masked; the same object where it holds none. */
export type Masker = <T extends object | string>(value: T) => T;

/**
 * Masks every occurrence of these credentials (of at least 8 characters) in the strings and keys of plain JSON; of one
 * that begins with a scheme, such as `Bearer `, what follows it too, and of one that a text of JSON holds, what it is
 * there. Those that overlap are masked as one. The engine applies it where a value enters, before it is folded, so that
 * live and resumed runs see the same.
 */
export function createMasker(secrets: readonly string[]): Masker {
  return maskerOf(new CredentialForms(secrets));
}

function maskerOf(forms: CredentialForms): Masker {
  if (forms.isEmpty) return (value) => value;
  const maskText = (text: string): string => forms.mask(text);
  return (value) => maskJson(value as Json, maskText) as typeof value;
}

/** Masks a text that comes in pieces: its outputs, joined, are the mask of the whole. */
export interface StreamMask {
  /** What can be told by now: the end that may yet become a credential is held back. */
  add(piece: string): string;
  /** What was held back, when no more comes. */
  end(): string;
}

function openStream(current: () => CredentialForms): StreamMask {
  let forms = current();
  let text = forms.openText();
  /** What was held back is read anew when other credentials are known. */
  const reread = (): string => {
    if (current() === forms) return '';
    const { held } = text;
    forms = current();
    text = forms.openText();
    return text.add(held);
  };
  return {
    add: (piece) => reread() + text.add(piece),
    end: () => reread() + text.end(),
  };
}

/** Masks credentials as they become known: one is masked from when it is added on. */
export class CredentialMask {
  readonly #known = new Set<string>();
  #forms = new CredentialForms([]);
  #masker: Masker = maskerOf(this.#forms);

  /** Makes credentials known, such as a key that was fetched anew. */
  add(...secrets: readonly string[]): void {
    const before = this.#known.size;
    for (const secret of secrets) this.#known.add(secret);
    if (this.#known.size === before) return;
    this.#forms = new CredentialForms([...this.#known]);
    this.#masker = maskerOf(this.#forms);
  }

  /** The value with every known credential masked; the same object where it holds none. */
  readonly mask: Masker = (value) => this.#masker(value);

  /** A mask for one text that comes in pieces. */
  readonly openStream = (): StreamMask => openStream(() => this.#forms);
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
