import { describe, expect, it } from 'vitest';
import { createMasker, CredentialMask } from '../../../src/flight/mask.ts';
import { resultAt } from '../../support/flight-events.ts';

const SECRET = 'sk-(live).42+$&';

describe('createMasker', () => {
  const mask = createMasker([SECRET, SECRET + '-longer', 'short']);

  it('masks every occurrence, in keys and nested values', () => {
    const event = resultAt(0, { list: [`a ${SECRET} b ${SECRET}`], [SECRET]: 1, plain: 'short' });
    expect(mask(event)).toEqual(
      resultAt(0, { list: ['a [masked] b [masked]'], '[masked]': 1, plain: 'short' }),
    );
  });

  it('masks the longest of credentials that begin alike', () => {
    expect(mask(`${SECRET}-longer!`)).toBe('[masked]!');
  });

  it.each(['Bearer', 'bearer ', 'Basic', 'Token', 'Bot', 'ApiKey'])(
    'masks what follows a scheme without it: %s',
    (scheme) => {
      const ofHeader = createMasker([`${scheme} zq81-key-of-it`, `${scheme} short`]);
      expect(ofHeader('it is zq81-key-of-it, not short')).toBe('it is [masked], not short');
      expect(ofHeader(`${scheme} zq81-key-of-it`)).toBe('[masked]');
    },
  );

  it('masks a credential without the blanks around it', () => {
    expect(createMasker([' zq81-key-of-it\n'])('it is zq81-key-of-it.')).toBe('it is [masked].');
  });

  it('takes no word off a credential that only looks like a scheme', () => {
    expect(createMasker(['Tokenized zq81-key-of-it'])('zq81-key-of-it')).toBe('zq81-key-of-it');
  });

  it('keeps keys named __proto__ beside a masked value', () => {
    const value: unknown = JSON.parse(`{"__proto__":{"a":"x"},"b":${JSON.stringify(SECRET)}}`);
    expect(JSON.stringify(mask(value as object))).toBe('{"__proto__":{"a":"x"},"b":"[masked]"}');
  });

  it('gives back the same object where there is nothing to mask', () => {
    const event = resultAt(0, { a: ['b', 1, null, true] });
    expect(mask(event)).toBe(event);
    expect(createMasker([])(event)).toBe(event);
    expect(createMasker(['short', ''])(event)).toBe(event);
  });
});

describe('a credential in a text of JSON', () => {
  const PEM = '-----BEGIN K-----\nMIIBabcdefgh/+\n-----END K-----\n';
  const ACCOUNT = JSON.stringify({ private_key: PEM, id: 'a@b' }, null, 2);

  it.each(['pa"ss\\word123', 'tab\tbell\u0007', PEM, PEM.trim(), ACCOUNT])('is masked: %j', (secret) => {
    const mask = createMasker([secret]);
    const once = JSON.stringify({ p: secret });
    const twice = JSON.stringify({ stdout: once });
    expect(mask({ once, twice })).toEqual({
      once: '{"p":"[masked]"}',
      twice: '{"stdout":"{\\"p\\":\\"[masked]\\"}"}',
    });
  });

  it.each([
    ['wJalr/bPx/key', 'wJalr\\/bPx\\/key'],
    ['geheim-grün-🔑', 'geheim-gr\\u00fcn-\\ud83d\\udd11'],
    ['grün/geheim"1', 'gr\\u00fcn\\/geheim\\"1'],
    ['p<a>s&s-word', 'p\\u003ca\\u003es\\u0026s-word'],
    ["Zm9v'YmFy+Q==", 'Zm9v\\u0027YmFy+Q\\u003d\\u003d'],
    ['geheim-grün-🔑', 'geheim-gr\\u00FCn-\\uD83D\\uDD11'],
    ['wJal+r/bP"x\\"\\uabcd\n', 'wJal\\u002Br/bP\\u0022x\\\\\\u0022\\\\uabcd\\n'],
    ["p<a>s&s'wörd`", 'p\\u003Ca\\u003Es\\u0026s\\u0027w\\u00F6rd\\u0060'],
  ])('is masked whatever its writer escapes: %j', (secret, written) => {
    const mask = createMasker([secret]);
    expect(JSON.parse(`"${written}"`)).toBe(secret);
    expect(mask(`{"p":"${written}"}`)).toBe('{"p":"[masked]"}');
    expect(mask(JSON.stringify({ out: written }))).toBe('{"out":"[masked]"}');
  });

  it('is as long as it is before it is escaped', () => {
    expect(createMasker(['a"b"c'])('a\\"b\\"c and a\\\\\\"b')).toBe('a\\"b\\"c and a\\\\\\"b');
  });

  it.each([PEM, PEM.replaceAll('\n', '\r\n')])('is masked with the other ends of its lines: %j', (secret) => {
    const mask = createMasker([secret]);
    for (const end of ['\n', '\r\n', '\\n', '\\r\\n', '\\\\r\\\\n'])
      expect(mask(`it is ${secret.replaceAll(/\r?\n/g, end)}.`)).toBe('it is [masked].');
  });
});

describe('a credential in a URL', () => {
  it.each(['wJalr/bPx+key=', 'grün & geheim', 'half-\ud83d-of-a-letter', "it's (not) a*secret"])(
    'is masked in its query, its path and a form: %j',
    (secret) => {
      const mask = createMasker([secret]);
      const url = new URL('https://a.example/');
      url.searchParams.set('key', secret);
      expect(mask(url.href)).toBe('https://a.example/?key=[masked]');
      expect(mask(`/?key=${encodeURIComponent(secret.replace(/\p{Cs}/u, '\ufffd'))}&a=1`)).toBe(
        '/?key=[masked]&a=1',
      );
    },
  );

  it('is masked in a path whose slashes are left as they are', () => {
    const mask = createMasker(['wJalr/bPx+key=']);
    expect(mask('/of/wJalr/bPx%2Bkey%3D/x')).toBe('/of/[masked]/x');
    expect(mask('/of/wJalr%2fbPx%2bkey%3d/x')).toBe('/of/[masked]/x');
  });
});

describe('credentials that overlap', () => {
  it.each([
    [['abcdefghij', 'fghijklmnop'], 'x abcdefghijklmnop y', 'x [masked] y'],
    [['abcdefghij', 'fghijklmnop', 'nopqrstuv'], 'abcdefghijklmnopqrstuv', '[masked]'],
    [['abcdefgh', 'efghijkl', 'ghij1234'], 'abcdefghij1234', '[masked]'],
    [['abcabcabc'], 'abcabcabcabc!', '[masked]!'],
    [['abcdefgh', 'ijklmnop', 'efghijkl'], 'abcdefghijklmnop', '[masked]'],
  ])('are masked as one: %j', (secrets, text, masked) => {
    expect(createMasker(secrets)(text)).toBe(masked);
  });

  it.each([
    [['abcdefgh', 'ijklmnop'], 'abcdefghijklmnop'],
    [['abcdefgh', 'ijklmnop', 'efghijklmnopq'], 'abcdefghijklmnop'],
    [['abcdefgh'], 'abcdefghabcdefgh'],
  ])('are two where one only follows the other: %j', (secrets, text) => {
    expect(createMasker(secrets)(text)).toBe('[masked][masked]');
  });
});

describe('a text that comes in pieces', () => {
  it('holds none that became known while a part of it was held back', () => {
    const credentials = new CredentialMask();
    credentials.add('abcdefgh-1');
    const stream = credentials.openStream();
    expect(stream.add('it is abcdefgh')).toBe('it is ');
    credentials.add('abcdefgh-2');
    expect(stream.add('-2, abcdefgh-1, xyz')).toBe('[masked], [masked], xyz');
    credentials.add('xyz-is-new');
    expect(stream.add(' xyz-is-new abcdef')).toBe(' [masked] ');
    expect(stream.end()).toBe('abcdef');
  });

  it('is told up to the end of a credential that nothing can make longer', () => {
    const credentials = new CredentialMask();
    credentials.add('secret-key-1', 'key-1-and-2');
    const stream = credentials.openStream();
    expect(stream.add('a secret-key-1')).toBe('a ');
    expect(stream.add('!')).toBe('[masked]!');
    expect(stream.add('key-1-and-2')).toBe('[masked]');
  });

  it('takes no time that grows with the number of credentials', () => {
    const text = 'lorem ipsum dolor sit amet '.repeat(700);
    const msOf = (count: number): number => {
      const credentials = new CredentialMask();
      credentials.add(...Array.from({ length: count }, (_, index) => `sk-lorem-${index}-ipsum`));
      const stream = credentials.openStream();
      const start = performance.now();
      for (const letter of text) stream.add(letter);
      return performance.now() - start;
    };
    msOf(1);
    expect(Math.min(msOf(1000), msOf(1000))).toBeLessThan(50 * Math.max(4, msOf(1)));
  });
});
