import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mcpSchema } from '../../../../src/contracts/mcp.ts';
import { readToolList } from '../../../../src/tools/mcp/read-tool-list.ts';

const { regexes, iso } = z;
const FORMATS: Readonly<Record<string, z.ZodType>> = {
  ...{ email: z.email(), html5: z.email({ pattern: regexes.html5Email }) },
  ...{ rfc: z.email({ pattern: regexes.rfc5322Email }), browser: z.email({ pattern: regexes.browserEmail }) },
  ...{ unicode: z.email({ pattern: regexes.unicodeEmail }), url: z.url(), httpUrl: z.httpUrl() },
  ...{ uuid: z.uuid(), guid: z.guid(), uuidv4: z.uuidv4(), uuidv6: z.uuidv6(), uuidv7: z.uuidv7() },
  ...{ cuid2: z.cuid2(), ulid: z.ulid(), nanoid: z.nanoid(), xid: z.xid(), ksuid: z.ksuid() },
  ...{ ipv4: z.ipv4(), ipv6: z.ipv6(), cidrv4: z.cidrv4(), cidrv6: z.cidrv6(), mac: z.mac() },
  ...{ base64: z.base64(), base64url: z.base64url(), jwt: z.jwt(), hex: z.hex(), sha256: z.hash('sha256') },
  ...{ e164: z.e164(), emoji: z.emoji(), hostname: z.hostname(), domain: z.string().regex(regexes.domain) },
  ...{ date: iso.date(), time: iso.time(), datetime: iso.datetime(), duration: iso.duration() },
  ...{ local: iso.datetime({ local: true, offset: true }), iban: z.iban(), card: z.creditCard() },
  ...{ currency: z.currencyCode(), lower: z.string().lowercase(), starts: z.string().startsWith('ab') },
};

function reasonsFor(value: object): unknown {
  const server = mcpSchema.parse({ s: { command: 'x' } })['s'];
  if (server === undefined) throw new Error('no server');
  const inputSchema = { type: 'object', properties: { value } };
  return readToolList('s', server, [{ name: 'one', inputSchema }]).quarantined;
}

describe('the patterns of zod', () => {
  it.each(Object.entries(FORMATS))('are taken from a server: %s', (_, schema) => {
    expect(reasonsFor(z.toJSONSchema(schema, { io: 'input' }))).toEqual([]);
  });

  it('are taken as earlier versions had them', () => {
    const pattern = String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`;
    expect(reasonsFor({ type: 'string', pattern })).toEqual([]);
  });

  it.each([
    regexes.email.source.replace('*\\.)+', '*\\.*)+'),
    regexes.email.source.replace('^', ''),
    `${regexes.hostname.source}|(a+)+$`,
    regexes.base64.source.replace('{4}', '{4,}'),
  ])('are taken letter for letter alone: %s', (pattern) => {
    expect(reasonsFor({ type: 'string', pattern })).toMatchObject([
      { reason: expect.stringContaining('has a pattern that might take for ever') as string },
    ]);
  });
});
