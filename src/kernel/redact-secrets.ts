import { isJsonObject, type Json, setOwn } from './json.ts';
import { isPassword, markSecrets } from './secret-patterns.ts';

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Names of fields whose text is a credential, whatever it looks like. */
const SECRET_FIELD =
  /(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?|(?:access|auth|refresh|bearer|my|api|bot|session)[_-]?token|pass(?:word|wd|phrase))$/i;

/** Shorter ones are words. */
const SHORTEST_FIELD = 8;

/** Names of fields whose text may be shorter. */
const SHORT_SECRET_FIELD = /pass(?:word|wd|phrase)$/i;

/** A value without anything that looks like a credential, and how many texts were changed. */
export function redactSecrets(value: Json): { value: Json; changed: number } {
  const counter = { changed: 0 };
  return { value: redact(value, counter), changed: counter.changed };
}

function redact(value: Json, counter: { changed: number }): Json {
  if (typeof value === 'string') return redactCounted(value, counter);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => redact(item, counter));
  if (!isJsonObject(value)) return value;
  const redacted: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const isSecret = typeof item === 'string' && isCredential(key, item);
    if (isSecret) counter.changed++;
    setOwn(redacted, redactCounted(key, counter), isSecret ? REDACTED : redact(item, counter));
  }
  return redacted;
}

function isCredential(key: string, text: string): boolean {
  if (text.length >= SHORTEST_FIELD) return SECRET_FIELD.test(key);
  return SHORT_SECRET_FIELD.test(key) && isPassword(text);
}

/** A text without anything that looks like a credential. */
export function redactText(text: string): string {
  return markSecrets(text, REDACTED);
}

function redactCounted(text: string, counter: { changed: number }): string {
  const redacted = redactText(text);
  if (redacted !== text) counter.changed++;
  return redacted;
}
