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
  if (rules.deny.some((pattern) => matchesHost(pattern, host) || leadsTo(pattern, host))) return false;
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

/** Whether a host carries the same IPv4 address as a pattern, or is it. */
function leadsTo(pattern: string, host: string): boolean {
  const wanted = hostOf(pattern);
  return wanted !== null && carriedHost(wanted) === carriedHost(host);
}

/** Where an IPv6 address carries an IPv4 one, by the first groups of it: mapped, compatible, NAT64 and 6to4. */
const CARRIERS: readonly (readonly [start: RegExp, at: number])[] = [
  [/^(?:0:){5}ffff:/, 6],
  [/^(?:0:){6}(?!0:[01]$)/, 6],
  [/^64:ff9b:(?:0:){4}/, 6],
  [/^2002:/, 1],
  // ISATAP
  [/^(?:[0-9a-f]+:){4}(?:0|200):5efe:/, 6],
];

/** The host as it counts: an IPv4 address where it is an IPv6 one that carries one. */
function carriedHost(host: string): string {
  if (!host.startsWith('[')) return host;
  const [before = '', after] = host.slice(1, -1).split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail];
  const carrier = CARRIERS.find(([start]) => start.test(groups.join(':')));
  if (carrier === undefined) return host;
  const [, at] = carrier;
  return groups
    .slice(at, at + 2)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])
    .join('.');
}
