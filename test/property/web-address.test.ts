import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import { addressKind } from '../../src/tools/web/address-kind.ts';
import { AddressGuard } from '../../src/tools/web/address-guard.ts';
import { HostRules } from '../../src/tools/web/host-rules.ts';
import { isInNetwork, parseAddress, parseNetwork } from '../../src/tools/web/ip-address.ts';
import { parseWebUrl } from '../../src/tools/web/parse-web-url.ts';

const bytes = (value: number): number[] => [
  value >>> 24,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
];
const dotted = (value: number): string => bytes(value).join('.');

/** Networks that must never be reached, as numbers, apart from the table of the code under test. */
const CLOSED: readonly (readonly [first: string, last: string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['224.0.0.0', '255.255.255.255'],
];

const toNumber = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const closed = fc
  .constantFrom(...CLOSED)
  .chain(([first, last]) => fc.integer({ min: toNumber(first), max: toNumber(last) }));

/** A number as one part of an address: decimal, octal or hexadecimal, with zeros before it. */
const inBase = (value: number, base: number, zeros: number): string => {
  if (base === 10) return String(value);
  const digits = '0'.repeat(zeros) + value.toString(base);
  return base === 16 ? `0x${digits}` : `0${digits}`;
};

const notation = (value: number, parts: number, bases: readonly number[], zeros: number): string => {
  const all = bytes(value);
  const head = all.slice(0, parts - 1);
  const rest = all.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
  return [...head, rest].map((part, index) => inBase(part, bases[index] ?? 10, zeros)).join('.');
};

const guard = new AddressGuard([], () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]));

it('no notation of an address that is not public is let through', async () => {
  await fc.assert(
    fc.asyncProperty(
      closed,
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      fc.nat(8),
      fc.boolean(),
      async (value, parts, bases, zeros, hasDot) => {
        const host = notation(value, parts, bases, zeros) + (hasDot ? '.' : '');
        const url = parseWebUrl(`http://${host}/`);
        expect(url.hostname).toBe(dotted(value));
        await expect(guard.addressesOf(url, 'argument')).rejects.toMatchObject({ code: 'policy_denied' });
      },
    ),
    { numRuns: 1500 },
  );
});

it('an address counts the same in every IPv6 address that carries it', () => {
  const hex = (value: number): string => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  const carriers: readonly ((value: number) => string)[] = [
    (value) => `::ffff:${hex(value)}`,
    (value) => `::ffff:${dotted(value)}`,
    (value) => `0:0:0:0:0:ffff:${hex(value)}`,
    (value) => `64:ff9b::${hex(value)}`,
    (value) => `64:ff9b::${dotted(value)}`,
    (value) => `2002:${hex(value)}::1`,
  ];
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.constantFrom(...carriers), (value, carry) => {
      expect(addressKind(carry(value))).toBe(addressKind(dotted(value)));
    }),
    { numRuns: 2000 },
  );
});

it('an address is public only where it lies in none of the closed networks', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), (value) => {
      const isClosed = CLOSED.some(([first, last]) => value >= toNumber(first) && value <= toNumber(last));
      if (isClosed) expect(addressKind(dotted(value))).not.toBe('public');
    }),
    { numRuns: 3000 },
  );
});

it('IPv6 outside of 2000::/3 is public only as the carrier of a public address', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const text = groups.map((group) => group.toString(16)).join(':');
      expect(parseAddress(text)).toEqual(groups.flatMap((group) => [group >> 8, group & 255]));
      const [first = 0] = groups;
      if (first < 0x2000 || first > 0x3fff) expect(addressKind(text)).not.toBe('public');
    }),
    { numRuns: 3000 },
  );
});

it('a network holds exactly the addresses that begin with its bits', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.integer({ min: 0, max: 32 }), (a, b, length) => {
      const network = parseNetwork(`${dotted(a)}/${length}`);
      const isSame = length === 0 || a >>> (32 - length) === b >>> (32 - length);
      expect(isInNetwork(bytes(b), network!)).toBe(isSame);
    }),
    { numRuns: 3000 },
  );
});

it('any text at all is an address of the web without surprises, or is refused', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc
      .tuple(fc.constantFrom('http://', 'https://', 'http:', '//'), fc.string())
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        const url = parseWebUrl(text);
        expect(['http:', 'https:']).toContain(url.protocol);
        expect(url.username + url.password + url.hash).toBe('');
        expect(text.toLowerCase().startsWith(`${url.protocol}//`)).toBe(true);
        // Read again, it is the same address.
        expect(parseWebUrl(url.href).href).toBe(url.href);
      } catch (error) {
        expect(error).toBeInstanceOf(OrchestratorError);
      }
    }),
    { numRuns: 3000 },
  );
});

it('a listed name never opens an address of a metadata service', () => {
  const rules = new HostRules(['intranet', '*.corp.example']);
  fc.assert(
    fc.property(closed, fc.constantFrom('intranet', 'a.corp.example'), (value, host) => {
      const kind = addressKind(dotted(value));
      expect(rules.permits(host, dotted(value))).toBe(kind === 'private' || kind === 'loopback');
      expect(rules.permits('elsewhere.example', dotted(value))).toBe(false);
    }),
  );
});
