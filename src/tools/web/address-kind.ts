import { type AddressBytes, isInNetwork, type Network, parseAddress, parseNetwork } from './ip-address.ts';

/** What an address is for; only `public` ones are on the internet. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'link-local' | 'metadata' | 'reserved';

/** IPv4 networks that are not public, after the registry of special-purpose addresses (RFC 6890 and its updates). */
const IPV4 = [
  // Where clouds answer machines about themselves, credentials included. Some lie in public networks.
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['169.254.170.23', 'metadata'],
  ['169.254.169.253', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['100.64.0.0/10', 'private'],
  // On Linux, 0.0.0.0 leads to the machine itself.
  ['0.0.0.0/8', 'loopback'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['198.18.0.0/15', 'private'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'reserved'],
  ['240.0.0.0/4', 'reserved'],
] as const;

/** The same for IPv6; whatever lies outside of 2000::/3 and is not listed is reserved. */
const IPV6 = [
  ['fd00:ec2::254', 'metadata'],
  ['fd00:ec2::23', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['::1', 'loopback'],
  ['::', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['fc00::/7', 'private'],
  ['fec0::/10', 'private'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
] as const;

const TABLE = [...IPV4, ...IPV6].map(([text, kind]) => ({ network: networkOf(text), kind }));

/** Where an IPv6 address carries an IPv4 one that packets to it may be sent on to, by the place of its bytes. */
const CARRIERS = [
  { network: networkOf('::ffff:0:0/96'), at: 12 },
  { network: networkOf('64:ff9b::/96'), at: 12 },
  { network: networkOf('2002::/16'), at: 2 },
];

/** The second half of an address that carries an IPv4 address through a tunnel of a site (ISATAP). */
const ISATAP = [
  [0x00, 0x00, 0x5e, 0xfe],
  [0x02, 0x00, 0x5e, 0xfe],
];

/** What an address in its usual notation is for; an IPv6 address counts as the IPv4 address that it carries. */
export function addressKind(address: string): AddressKind {
  const bytes = parseAddress(address);
  return bytes === null ? 'reserved' : kindOf(bytes);
}

/** The address as it counts: an IPv4 address where it carries one. */
export function carriedAddress(bytes: AddressBytes): AddressBytes {
  for (const { network, at } of CARRIERS) {
    if (isInNetwork(bytes, network)) return bytes.slice(at, at + 4);
  }
  return bytes;
}

function kindOf(bytes: AddressBytes): AddressKind {
  const carried = carriedAddress(bytes);
  const known = TABLE.find(({ network }) => isInNetwork(carried, network))?.kind;
  if (carried.length === 4) return known ?? 'public';
  const kind = known ?? 'reserved';
  if (kind !== 'public' || !ISATAP.some((mark) => mark.every((byte, index) => carried[8 + index] === byte))) {
    return kind;
  }
  return kindOf(carried.slice(12));
}

function networkOf(text: string): Network {
  const network = parseNetwork(text);
  if (network === null) throw new Error(`${text} is no network`);
  return network;
}
