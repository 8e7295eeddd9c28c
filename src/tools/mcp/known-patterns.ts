import { regexes } from 'zod';

/**
 * Expressions of zod that the judgement by parts takes for risky, each of which was looked at: what is repeated ends at a
 * character that it cannot take (`.`, `:`, `@`), or is of one length, or the text is bounded first.
 */
const OF_ZOD: readonly RegExp[] = [
  ...[regexes.email, regexes.html5Email, regexes.browserEmail, regexes.rfc5322Email],
  ...[regexes.hostname, regexes.domain, regexes.ipv4, regexes.ipv6, regexes.cidrv4, regexes.cidrv6],
  ...[regexes.mac(), regexes.base64, regexes.base64url, regexes.duration],
  ...[regexes.creditCard, regexes.currencyCode],
];

/** Those of earlier versions of zod 4, which servers are built with too. */
const OF_EARLIER_ZOD: readonly string[] = [
  String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
];

const KNOWN = new Set([...OF_ZOD.map(({ source }) => source), ...OF_EARLIER_ZOD]);

/** Whether a regular expression is, letter for letter, one that is known to take time in proportion to the text. */
export function isKnownPattern(pattern: string): boolean {
  return KNOWN.has(pattern);
}
