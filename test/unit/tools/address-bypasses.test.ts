import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../src/tools/web/address-guard.ts';
import { HttpClient } from '../../../src/tools/web/http-client.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

/** How an address is refused: as not public, as none or ambiguous, or because there is no such host. */
type Refusal = 'policy_denied' | 'tool_misuse' | 'missing_info';

/** What the names below resolve to. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.localdomain': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  'rebound.example': ['127.0.0.1'],
  'mixed.example': ['93.184.215.14', '10.0.0.5'],
  'mixed6.example': ['93.184.215.14', '::1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'any.example': ['0.0.0.0'],
  'zone.example': ['fe80::1%lo'],
  'nat64.example': ['64:ff9b::a00:1'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  '7f000001.nip.example': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'instance-data': ['169.254.169.254'],
  'intranet.corp.example': ['10.1.2.3'],
  'xn--fiqs8s.example': ['192.168.1.1'],
  'odd.example': ['not an address'],
  'nothing.example': [],
};

const resolve = (host: string): Promise<readonly LookupAddress[]> => {
  const addresses = NAMES[host.toLowerCase()];
  if (addresses === undefined) return Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};

/** Known ways to name an address that must not be reached, one row a kind; `{port}` is where a server listens. */
const BYPASSES: readonly (readonly [kind: string, url: string, refusal: Refusal])[] = [
  // The machine itself, in every notation of IPv4.
  ['loopback', 'http://127.0.0.1:{port}/', 'policy_denied'],
  ['loopback over TLS', 'https://127.0.0.1:{port}/', 'policy_denied'],
  ['upper case scheme', 'HTTP://127.0.0.1:{port}/', 'policy_denied'],
  ['two parts', 'http://127.1:{port}/', 'policy_denied'],
  ['three parts', 'http://127.0.1:{port}/', 'policy_denied'],
  ['one number', 'http://2130706433:{port}/', 'policy_denied'],
  ['one hexadecimal number', 'http://0x7f000001:{port}/', 'policy_denied'],
  ['one octal number', 'http://017700000001:{port}/', 'policy_denied'],
  ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1:{port}/', 'policy_denied'],
  ['upper case hexadecimal', 'http://0X7F.0.0.1:{port}/', 'policy_denied'],
  ['octal parts', 'http://0177.0000.0000.0001:{port}/', 'policy_denied'],
  ['mixed parts', 'http://0x7f.0.01.1:{port}/', 'policy_denied'],
  ['hexadecimal, two parts', 'http://0x7f.1:{port}/', 'policy_denied'],
  ['octal, two parts', 'http://0177.1:{port}/', 'policy_denied'],
  ['many leading zeros', 'http://0000000000177.0.0.1:{port}/', 'policy_denied'],
  ['dot at the end', 'http://127.0.0.1.:{port}/', 'policy_denied'],
  ['number with a dot at the end', 'http://2130706433.:{port}/', 'policy_denied'],
  ['another loopback address', 'http://127.127.127.127:{port}/', 'policy_denied'],
  ['the last loopback address', 'http://127.255.255.254:{port}/', 'policy_denied'],
  ['any address', 'http://0.0.0.0:{port}/', 'policy_denied'],
  ['any address as a number', 'http://0:{port}/', 'policy_denied'],
  ['any address as an empty hexadecimal', 'http://0x:{port}/', 'policy_denied'],
  ['this network', 'http://0.1.2.3:{port}/', 'policy_denied'],
  ['part too large', 'http://127.0.0.257:{port}/', 'tool_misuse'],
  ['number too large', 'http://4294967297:{port}/', 'tool_misuse'],
  ['hexadecimal that wraps around', 'http://0x17f000001:{port}/', 'tool_misuse'],
  ['five parts', 'http://127.0.0.0.1:{port}/', 'tool_misuse'],
  ['digit that is not octal', 'http://0178.0.0.1:{port}/', 'tool_misuse'],
  // The same in characters that are normalised to it.
  ['circled digits', 'http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:{port}/', 'policy_denied'],
  ['wide digits', 'http://\uff11\uff12\uff17.0.0.1:{port}/', 'policy_denied'],
  ['mathematical digits', 'http://\u{1d7cf}\u{1d7d0}\u{1d7d5}.0.0.1:{port}/', 'policy_denied'],
  ['raised digits', 'http://\u00b9\u00b2\u2077.0.0.1:{port}/', 'policy_denied'],
  ['ideographic dots', 'http://127\u30020\u30020\u30021:{port}/', 'policy_denied'],
  ['half wide dots', 'http://127\uff610\uff610\uff611:{port}/', 'policy_denied'],
  ['wide dots', 'http://127\uff0e0\uff0e0\uff0e1:{port}/', 'policy_denied'],
  ['percent digits', 'http://%31%32%37.0.0.1:{port}/', 'policy_denied'],
  ['percent dots', 'http://127%2e0%2e0%2e1:{port}/', 'policy_denied'],
  ['soft hyphen', 'http://127.0.0.\u00ad1:{port}/', 'tool_misuse'],
  ['zero width space', 'http://127.0.0.1\u200b:{port}/', 'tool_misuse'],
  // Names of the machine itself.
  ['localhost', 'http://localhost:{port}/', 'policy_denied'],
  ['upper case localhost', 'http://LOCALHOST:{port}/', 'policy_denied'],
  ['localhost with a dot', 'http://localhost.:{port}/', 'policy_denied'],
  [
    'circled localhost',
    'http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3:{port}/',
    'policy_denied',
  ],
  ['percent localhost', 'http://%6c%6f%63%61%6c%68%6f%73%74:{port}/', 'policy_denied'],
  ['long s', 'http://localho\u017ft:{port}/', 'policy_denied'],
  ['full name of localhost', 'http://localhost.localdomain:{port}/', 'policy_denied'],
  ['localhost of IPv6', 'http://ip6-localhost:{port}/', 'policy_denied'],
  // Names that lead somewhere else than they seem to.
  ['name of loopback', 'http://rebound.example:{port}/', 'policy_denied'],
  ['address in a name', 'http://127.0.0.1.nip.example:{port}/', 'policy_denied'],
  ['hexadecimal address in a name', 'http://7f000001.nip.example:{port}/', 'policy_denied'],
  ['one public address and one private', 'http://mixed.example:{port}/', 'policy_denied'],
  ['public IPv4 and loopback IPv6', 'http://mixed6.example:{port}/', 'policy_denied'],
  ['name of a mapped address', 'http://mapped.example:{port}/', 'policy_denied'],
  ['name of any address', 'http://any.example:{port}/', 'policy_denied'],
  ['name of an address with a zone', 'http://zone.example:{port}/', 'policy_denied'],
  ['name of a translated address', 'http://nat64.example:{port}/', 'policy_denied'],
  ['name of a host of the intranet', 'http://intranet.corp.example:{port}/', 'policy_denied'],
  ['name in other letters', 'http://\u4e2d\u56fd.example:{port}/', 'policy_denied'],
  ['name of what is no address', 'http://odd.example:{port}/', 'policy_denied'],
  ['name of nothing', 'http://nothing.example:{port}/', 'missing_info'],
  ['no such name', 'http://no-such-name.example:{port}/', 'missing_info'],
  // Private networks.
  ['10/8', 'http://10.0.0.1/', 'policy_denied'],
  ['10/8 as a number', 'http://167772161/', 'policy_denied'],
  ['10/8 in octal', 'http://012.0.0.1/', 'policy_denied'],
  ['10/8 in two parts', 'http://0xa.1/', 'policy_denied'],
  ['172.16/12', 'http://172.16.0.1/', 'policy_denied'],
  ['the end of 172.16/12', 'http://172.31.255.255/', 'policy_denied'],
  ['192.168/16', 'http://192.168.0.1/', 'policy_denied'],
  ['192.168/16 in three parts', 'http://192.168.257/', 'policy_denied'],
  ['shared by carriers', 'http://100.64.0.1/', 'policy_denied'],
  ['the end of shared by carriers', 'http://100.127.255.255/', 'policy_denied'],
  ['benchmarks', 'http://198.18.0.1/', 'policy_denied'],
  ['the end of benchmarks', 'http://198.19.255.255/', 'policy_denied'],
  ['protocol assignments', 'http://192.0.0.8/', 'policy_denied'],
  ['documentation', 'http://192.0.2.1/', 'policy_denied'],
  ['documentation 2', 'http://198.51.100.1/', 'policy_denied'],
  ['documentation 3', 'http://203.0.113.1/', 'policy_denied'],
  ['relay of 6to4', 'http://192.88.99.1/', 'policy_denied'],
  ['multicast', 'http://224.0.0.1/', 'policy_denied'],
  ['multicast of devices', 'http://239.255.255.250:1900/', 'policy_denied'],
  ['reserved', 'http://240.0.0.1/', 'policy_denied'],
  ['broadcast', 'http://255.255.255.255/', 'policy_denied'],
  // What clouds tell their machines.
  ['metadata', 'http://169.254.169.254/latest/meta-data/', 'policy_denied'],
  ['metadata as a number', 'http://2852039166/', 'policy_denied'],
  ['metadata in hexadecimal', 'http://0xA9FEA9FE/', 'policy_denied'],
  ['metadata in octal', 'http://0251.0376.0251.0376/', 'policy_denied'],
  ['metadata in two parts', 'http://169.16689662/', 'policy_denied'],
  ['metadata in three parts', 'http://169.254.43518/', 'policy_denied'],
  ['metadata of tasks', 'http://169.254.170.2/v2/credentials', 'policy_denied'],
  ['metadata of Alibaba', 'http://100.100.100.200/', 'policy_denied'],
  ['metadata of Azure', 'http://168.63.129.16/', 'policy_denied'],
  ['metadata of Oracle', 'http://192.0.0.192/', 'policy_denied'],
  ['metadata of Google', 'http://metadata.google.internal/computeMetadata/v1/', 'policy_denied'],
  ['metadata by a short name', 'http://instance-data/', 'policy_denied'],
  ['metadata over IPv6', 'http://[fd00:ec2::254]/', 'policy_denied'],
  ['link-local', 'http://169.254.1.1/', 'policy_denied'],
  // IPv6.
  ['loopback of IPv6', 'http://[::1]:{port}/', 'policy_denied'],
  ['loopback of IPv6 in full', 'http://[0000:0000:0000:0000:0000:0000:0000:0001]:{port}/', 'policy_denied'],
  ['loopback of IPv6 in part', 'http://[0:0::0:1]:{port}/', 'policy_denied'],
  ['any address of IPv6', 'http://[::]:{port}/', 'policy_denied'],
  ['mapped loopback', 'http://[::ffff:127.0.0.1]:{port}/', 'policy_denied'],
  ['mapped loopback in hexadecimal', 'http://[::ffff:7f00:1]:{port}/', 'policy_denied'],
  ['mapped loopback in full', 'http://[0:0:0:0:0:FFFF:7f00:0001]:{port}/', 'policy_denied'],
  ['mapped private', 'http://[::ffff:10.0.0.1]/', 'policy_denied'],
  ['mapped metadata', 'http://[::ffff:a9fe:a9fe]/', 'policy_denied'],
  ['compatible loopback', 'http://[::127.0.0.1]:{port}/', 'policy_denied'],
  ['compatible loopback in hexadecimal', 'http://[::7f00:1]:{port}/', 'policy_denied'],
  ['translated loopback', 'http://[::ffff:0:127.0.0.1]:{port}/', 'policy_denied'],
  ['NAT64 loopback', 'http://[64:ff9b::127.0.0.1]:{port}/', 'policy_denied'],
  ['NAT64 private', 'http://[64:ff9b::a00:1]/', 'policy_denied'],
  ['NAT64 metadata', 'http://[64:ff9b::a9fe:a9fe]/', 'policy_denied'],
  ['NAT64 of a site', 'http://[64:ff9b:1::7f00:1]/', 'policy_denied'],
  ['6to4 loopback', 'http://[2002:7f00:1::]:{port}/', 'policy_denied'],
  ['6to4 private', 'http://[2002:a00:1::1]/', 'policy_denied'],
  ['6to4 metadata', 'http://[2002:a9fe:a9fe::1]/', 'policy_denied'],
  ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:f5ff:fffe]/', 'policy_denied'],
  ['ISATAP private', 'http://[2001:4860:1::200:5efe:10.0.0.1]/', 'policy_denied'],
  ['ISATAP loopback', 'http://[2001:4860:1::5efe:7f00:1]/', 'policy_denied'],
  ['link-local of IPv6', 'http://[fe80::1]/', 'policy_denied'],
  ['unique local', 'http://[fc00::1]/', 'policy_denied'],
  ['unique local, as it is used', 'http://[fd12:3456:789a::1]/', 'policy_denied'],
  ['site-local', 'http://[fec0::1]/', 'policy_denied'],
  ['multicast of IPv6', 'http://[ff02::1]/', 'policy_denied'],
  ['documentation of IPv6', 'http://[2001:db8::1]/', 'policy_denied'],
  ['new documentation of IPv6', 'http://[3fff::1]/', 'policy_denied'],
  ['discarded', 'http://[100::1]/', 'policy_denied'],
  ['segment routing', 'http://[5f00::1]/', 'policy_denied'],
  ['benchmarks of IPv6', 'http://[2001:2::1]/', 'policy_denied'],
  ['zone', 'http://[fe80::1%25lo]/', 'tool_misuse'],
  ['zone of loopback', 'http://[::1%25lo]:{port}/', 'tool_misuse'],
  ['zone without an escape', 'http://[::1%lo]:{port}/', 'tool_misuse'],
  ['IPv6 without brackets', 'http://::1:{port}/', 'tool_misuse'],
  // What stands around the host.
  ['user name that looks like a host', 'http://public.example@127.0.0.1:{port}/', 'tool_misuse'],
  ['user name with a password', 'http://public.example:80@127.0.0.1:{port}/', 'tool_misuse'],
  ['two at signs', 'http://a@public.example@127.0.0.1:{port}/', 'tool_misuse'],
  ['escaped at sign', 'http://public.example%40127.0.0.1:{port}/', 'tool_misuse'],
  ['empty user name', 'http://@127.0.0.1:{port}/', 'tool_misuse'],
  ['fragment that looks like a host', 'http://127.0.0.1:{port}#@public.example/', 'policy_denied'],
  ['query that looks like a host', 'http://127.0.0.1:{port}?@public.example/', 'policy_denied'],
  ['backslash before the at sign', 'http://127.0.0.1:{port}\\@public.example/', 'tool_misuse'],
  ['backslashes', 'http:\\\\127.0.0.1:{port}\\', 'tool_misuse'],
  ['one slash', 'http:/127.0.0.1:{port}/', 'tool_misuse'],
  ['no slash', 'http:127.0.0.1:{port}/', 'tool_misuse'],
  ['three slashes', 'http:///127.0.0.1:{port}/', 'tool_misuse'],
  ['no scheme', '//127.0.0.1:{port}/', 'tool_misuse'],
  ['host alone', '127.0.0.1:{port}', 'tool_misuse'],
  ['space before', ' http://127.0.0.1:{port}/', 'tool_misuse'],
  ['tab inside', 'http://127.0\t.0.1:{port}/', 'tool_misuse'],
  ['line break inside', 'ht\ntp://127.0.0.1:{port}/', 'tool_misuse'],
  ['header in the path', 'http://public.example/\r\nHost: 127.0.0.1', 'tool_misuse'],
  ['NUL', 'http://127.0.0.1\0.public.example/', 'tool_misuse'],
  ['escaped NUL', 'http://127.0.0.1%00.public.example/', 'tool_misuse'],
  ['escaped slash', 'http://127.0.0.1%2f.public.example/', 'tool_misuse'],
  ['port with zeros', 'http://127.0.0.1:0000{port}/', 'policy_denied'],
  ['two ports', 'http://127.0.0.1:80:{port}/', 'tool_misuse'],
  ['empty port', 'http://127.0.0.1:/', 'policy_denied'],
  ['no host', 'http://:{port}/', 'tool_misuse'],
  // Other schemes, and ports of other services.
  ['file', 'file:///etc/passwd', 'tool_misuse'],
  ['ftp', 'ftp://127.0.0.1/', 'tool_misuse'],
  ['gopher', 'gopher://127.0.0.1:6379/_INFO', 'tool_misuse'],
  ['dict', 'dict://127.0.0.1:11211/stats', 'tool_misuse'],
  ['ldap', 'ldap://127.0.0.1/', 'tool_misuse'],
  ['web socket', 'ws://127.0.0.1:{port}/', 'tool_misuse'],
  ['socket of Unix', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info', 'tool_misuse'],
  ['data', 'data:text/plain,x', 'tool_misuse'],
  ['blob', 'blob:http://127.0.0.1:{port}/x', 'tool_misuse'],
  ['script', 'javascript:alert(1)', 'tool_misuse'],
  ['archive', 'jar:http://127.0.0.1:{port}/x!/', 'tool_misuse'],
  ['source of a page', 'view-source:http://127.0.0.1:{port}/', 'tool_misuse'],
  ['mail service', 'http://public.example:25/', 'tool_misuse'],
  ['shell service', 'http://public.example:22/', 'tool_misuse'],
  ['cache service', 'http://public.example:11211/', 'tool_misuse'],
];

let server: WebServer;

beforeAll(async () => {
  server = await startWebServer(() => ({ body: 'reached' }));
});

afterAll(() => server.close());

const fill = (url: string): string => url.replaceAll('{port}', String(server.port));
const open = (url: string): Promise<unknown> =>
  new HttpClient(new AddressGuard([], resolve)).send({ url, signal: new AbortController().signal });

it('has a hundred kinds and more, none of them twice', () => {
  expect(new Set(BYPASSES.map(([kind]) => kind)).size).toBe(BYPASSES.length);
  expect(new Set(BYPASSES.map(([, url]) => url)).size).toBe(BYPASSES.length);
  expect(BYPASSES.length).toBeGreaterThanOrEqual(100);
});

describe.each(BYPASSES)('%s: %j', (_kind, url, refusal) => {
  it(`is refused as ${refusal}, and nothing is reached`, async () => {
    const before = server.requests.length;
    await expect(open(fill(url))).rejects.toMatchObject({ code: refusal });
    expect(server.requests).toHaveLength(before);
  });
});

describe('a server that is permitted redirects to', () => {
  const TARGETS: readonly (readonly [kind: string, location: string])[] = [
    ['loopback', 'http://127.0.0.1:{port}/inside'],
    ['loopback as a number', 'http://2130706433:{port}/inside'],
    ['loopback of IPv6', 'http://[::1]:{port}/inside'],
    ['a mapped address', 'http://[::ffff:7f00:1]:{port}/inside'],
    ['another host, with the scheme left out', '//127.0.0.1:{port}/inside'],
    ['a name of loopback', 'http://rebound.example:{port}/inside'],
    ['metadata', 'http://169.254.169.254/latest'],
    ['another scheme', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['an address with a user name', 'http://front.example:{port}@127.0.0.1:{port}/inside'],
    ['backslashes', '\\\\127.0.0.1:{port}\\inside'],
    ['the port of another service', 'http://front.example:25/'],
    ['what is no address', 'http://[/inside'],
  ];
  const statuses = [301, 302, 303, 307, 308];

  it.each(TARGETS)('%s: it is not followed', async (_kind, location) => {
    for (const status of statuses) {
      const front = await startWebServer(() => ({ status, headers: { location: fill(location) }, body: '' }));
      const guard = new AddressGuard(['front.example'], (host) =>
        host === 'front.example' ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : resolve(host),
      );
      const before = server.requests.length;
      const sent = new HttpClient(guard).send({
        url: `http://front.example:${front.port}/`,
        signal: new AbortController().signal,
      });
      // A server must not be able to stop the run, so the class is never POLICY.
      await expect(sent).rejects.toMatchObject({ retry: 'PERMANENT' });
      expect(front.requests).toHaveLength(1);
      expect(server.requests).toHaveLength(before);
      await front.close();
    }
  });
});

describe('a name that changes', () => {
  it('is looked up once for a request, and that address is connected to', async () => {
    let lookUps = 0;
    // Nobody listens at the first address; asked a second time, the name would lead to the server.
    const guard = new AddressGuard(['127.0.0.0/8'], () =>
      Promise.resolve([{ address: lookUps++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]),
    );
    const before = server.requests.length;
    const url = fill('http://rebinding.example:{port}/');
    await expect(
      new HttpClient(guard).send({ url, signal: new AbortController().signal }),
    ).rejects.toMatchObject({ code: 'tool_transient' });
    expect(lookUps).toBe(1);
    expect(server.requests).toHaveLength(before);
  });

  it('is looked up again for a redirect to itself', async () => {
    let lookUps = 0;
    const front = await startWebServer(() => ({ status: 302, headers: { location: '/inside' }, body: '' }));
    const guard = new AddressGuard(['127.0.0.0/8'], () =>
      Promise.resolve([{ address: lookUps++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]),
    );
    const url = `http://rebinding.example:${front.port}/`;
    await expect(
      new HttpClient(guard).send({ url, signal: new AbortController().signal }),
    ).rejects.toMatchObject({ code: 'policy_denied' });
    expect(front.requests).toHaveLength(1);
    await front.close();
  });
});
