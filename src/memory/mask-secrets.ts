import type { MemoryRecord } from '../contracts/memory.ts';

const MASK = '[masked]';

/** What looks like a credential, whoever issued it. */
const SECRETS = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,10000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,20}[-_]){0,3}[A-Za-z0-9_-]{16,200}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|hf|xox[abprs])[-_][A-Za-z0-9_-]{16,255}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{0,1000}/g,
];

/** A credential that a word before it gives away; the word is kept. */
const NAMED_SECRETS = [
  /(\bBearer\s{1,5})[A-Za-z0-9._~+/=-]{8,2000}/gi,
  /((?:password|passwd|secret(?:[-_]?key)?|api[-_]?key|[a-z]{2,20}[-_]?token|\btoken)["']?\s{0,5}[:=]\s{0,5}["']?)[^\s"',;}]{4,500}/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:)[^\s@/]{1,200}(?=@)/gi,
];

/** The text with everything masked that looks like a credential: API keys, tokens, private keys, passwords in URLs. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const pattern of SECRETS) masked = masked.replace(pattern, MASK);
  for (const pattern of NAMED_SECRETS) masked = masked.replace(pattern, `$1${MASK}`);
  return masked;
}

/** The record with all of its texts masked, and whether that changed any. */
export function maskRecord(record: MemoryRecord): {
  readonly record: MemoryRecord;
  readonly isChanged: boolean;
} {
  const json = JSON.stringify(record);
  const masked = JSON.parse(json, (_key, value: unknown) =>
    typeof value === 'string' ? maskSecrets(value) : value,
  ) as MemoryRecord;
  return { record: masked, isChanged: JSON.stringify(masked) !== json };
}
