import { isIPv4, isIPv6 } from 'node:net';

/** An address as its 4 or 16 bytes. */
export type AddressBytes = readonly number[];

/** A network: the addresses whose first `length` bits are those of `bytes`. */
export interface Network {
  readonly bytes: AddressBytes;
  readonly length: number;
}

/** The bytes of an address in its usual notation (zone and brackets left off); null where it is none. */
export function parseAddress(text: string): AddressBytes | null {
  const plain = text.replace(/^\[|\]$/g, '').replace(/%.*$/s, '');
  if (isIPv4(plain)) return plain.split('.').map(Number);
  return isIPv6(plain) ? parseIpv6(plain) : null;
}

/** A network in the notation `10.0.0.0/8`, or a single address; null where it is neither. */
export function parseNetwork(text: string): Network | null {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bytes = parseAddress(address);
  if (bytes === null) return null;
  const bits = bytes.length * 8;
  const length = prefix === undefined ? bits : Number(prefix);
  return length > bits ? null : { bytes, length };
}

/** Whether an address lies in a network; one of another version never does. */
export function isInNetwork(address: AddressBytes, { bytes, length }: Network): boolean {
  if (address.length !== bytes.length) return false;
  for (let bit = 0; bit < length; bit += 8) {
    const mask = bit + 8 <= length ? 0xff : (0xff << (8 - (length - bit))) & 0xff;
    const index = bit / 8;
    if (((address[index] ?? 0) & mask) !== ((bytes[index] ?? 0) & mask)) return false;
  }
  return true;
}

function parseIpv6(text: string): number[] {
  // The last four bytes may be written as IPv4.
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high: string | undefined, low: string | undefined): string =>
    ((Number(high) << 8) | Number(low)).toString(16);
  const plain =
    dotted === null ? text : `${dotted[1] ?? ''}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [before = '', after] = plain.split('::');
  const head = toGroups(before);
  const tail = after === undefined ? [] : toGroups(after);
  const gap = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<number>(gap).fill(0), ...tail].flatMap((group) => [group >> 8, group & 0xff]);
}

function toGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
}
