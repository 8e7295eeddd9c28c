import { isJsonObject, type Json, setOwn } from './json.ts';

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** What credentials look like. Each begins with what only they begin with, so that ordinary text is left alone. */
const PATTERNS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----/g,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/-]{16,}=*/gi,
  /(?<=\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/gi,
  /(?<=(?:api[_-]?key|secret(?:[_-]?key)?|token|password|passwd)(?:[_-]?(?:id|value|[0-9]{1,3}))?["']?\s*[:=]\s*["']?)[A-Za-z0-9._~+/-]{12,}/gi,
];

/** Names of fields whose text is a credential, whatever it looks like. */
const SECRET_FIELD =
  /(?:api[_-]?key|secret(?:[_-]?key)?|(?:access|auth|refresh|bearer|my|api|bot)[_-]?token|password|passwd)$/i;

/** Shorter ones are words. */
const SHORTEST_FIELD = 8;

/** What some part of every credential is like: a text without any of these holds none, and most texts hold none. */
const SIGNS =
  /sk-|[spr]k_|gh[opusr]_|github_pat_|glpat-|xox|A[KS]IA|AIza|hf_|npm_|eyJ|-BEGIN|bearer|:\/\/|key|secret|token|passw/i;

/** A value without anything that looks like a credential, and how many texts were changed. */
export function redactSecrets(value: Json): { value: Json; changed: number } {
  const counter = { changed: 0 };
  return { value: redact(value, counter), changed: counter.changed };
}

function redact(value: Json, counter: { changed: number }): Json {
  if (typeof value === 'string') return redactText(value, counter);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => redact(item, counter));
  if (!isJsonObject(value)) return value;
  const redacted: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const isSecret = typeof item === 'string' && item.length >= SHORTEST_FIELD && SECRET_FIELD.test(key);
    if (isSecret) counter.changed++;
    setOwn(redacted, redactText(key, counter), isSecret ? REDACTED : redact(item, counter));
  }
  return redacted;
}

function redactText(text: string, counter: { changed: number }): string {
  if (!SIGNS.test(text)) return text;
  let redacted = text;
  for (const pattern of PATTERNS) redacted = redacted.replace(pattern, REDACTED);
  if (redacted !== text) counter.changed++;
  return redacted;
}
