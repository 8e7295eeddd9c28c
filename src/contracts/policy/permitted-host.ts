import type { Rules } from './permitted-path.ts';

/**
 * The host of an absolute address, or of a host with or without a port, as it is looked up: lower case, ASCII, numbers as
 * an address is written; null where there is none.
 */
export function hostOf(target: string): string | null {
  const address =
    /^[a-z][a-z0-9+.-]*:/i.test(target) && !/^[^/]*:\d+$/.test(target) ? target : `http://${target}`;
  // Clients differ in what a backslash or a space in an address means.
  if (/[\\\s\p{Cc}\p{Cf}]/u.test(target) || !URL.canParse(address)) return null;
  const { hostname } = new URL(address);
  const host = hostname.replace(/\.$/, '').toLowerCase();
  return host === '' ? null : host;
}

/** Whether policy permits a host, or the host of an address; one that cannot be told is not permitted. */
export function isPermittedHost(target: string, rules: Rules): boolean {
  const host = hostOf(target);
  if (host === null) return false;
  if (rules.deny.some((pattern) => matchesHost(pattern, host))) return false;
  return rules.allow === undefined || rules.allow.some((pattern) => matchesHost(pattern, host));
}

/** `example.com` is that host alone, `*.example.com` every host below it, and `*` any. */
function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*.')) {
    const parent = hostOf(pattern.slice(2));
    return parent !== null && host.endsWith(`.${parent}`);
  }
  return hostOf(pattern) === host;
}
