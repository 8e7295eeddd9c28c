import type { MemoryRecord } from '../contracts/memory.ts';
import { markSecrets } from '../kernel/secret-patterns.ts';

const MASK = '[masked]';

/** What is kept for other runs is masked where it may be a credential, not only where it looks like one. */
const DOUBTFUL: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,20}[-_]){0,3}[A-Za-z0-9_-]{16,200}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|hf|xox[abprs])[-_][A-Za-z0-9_-]{16,255}/g,
  /(?<=\bBearer\s{1,5})[A-Za-z0-9._~+/=-]{8,2000}/gi,
  /(?<=(?:password|passwd|secret(?:[-_]?key)?|api[-_]?key|[a-z]{2,20}[-_]?token|\btoken)["']?\s{0,5}[:=]\s{0,5}["']?)(?!\[masked\])[^\s"',;}]{4,500}/gi,
];

/** The text with everything masked that looks like a credential: API keys, tokens, private keys, passwords in URLs. */
export function maskSecrets(text: string): string {
  let masked = markSecrets(text, MASK);
  for (const pattern of DOUBTFUL) masked = masked.replace(pattern, MASK);
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
