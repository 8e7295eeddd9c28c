import { OrchestratorError } from '../kernel/errors.ts';
import { isJsonObject, type Json, setOwn, toPointer } from '../kernel/json.ts';

/** What stands in the place of a secret. */
const REDACTED = '[redacted]';

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
  /(?<=\b(?:api[_-]?key|secret|token|password|passwd)["']?\s*[:=]\s*["']?)[A-Za-z0-9._~+/-]{12,}/gi,
];

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
    setOwn(redacted, redactText(key, counter), redact(value[key] as Json, counter));
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

/**
 * A value that was changed by somebody who was shown the original without its credentials: texts that are as they were
 * shown become those of the original. Throws `usage` where something else holds what was redacted.
 */
export function restoreRedacted(changed: Json, original: Json, pointer = ''): Json {
  if (typeof changed === 'string') {
    if (!changed.includes(REDACTED)) return changed;
    if (typeof original === 'string' && redactSecrets(original).value === changed) return original;
    throw new OrchestratorError(
      'usage',
      `--args ${pointer}: holds ${REDACTED}, which stood for a credential`,
      {
        hint: 'Leave that text as it was, or write it anew.',
      },
    );
  }
  if (Array.isArray(changed)) {
    const before = Array.isArray(original) ? (original as readonly Json[]) : [];
    return (changed as readonly Json[]).map((item, index) =>
      restoreRedacted(item, before[index] ?? null, `${pointer}/${index}`),
    );
  }
  if (!isJsonObject(changed)) return changed;
  const restored: Record<string, Json> = {};
  for (const key of Object.keys(changed)) {
    const before = isJsonObject(original) && Object.hasOwn(original, key) ? (original[key] as Json) : null;
    setOwn(restored, key, restoreRedacted(changed[key] as Json, before, `${pointer}${toPointer([key])}`));
  }
  return restored;
}
