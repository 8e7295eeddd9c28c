/* What is taken for a credential in pages, spans, exports and memory alike, and what is not. */
import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../../src/kernel/redact-secrets.ts';
import { markSecrets } from '../../../src/kernel/secret-patterns.ts';
import { maskSecrets } from '../../../src/memory/mask-secrets.ts';

// Put together here, so that no scanner takes them for real ones.
const letters = 'abcdEFGH1234ijklMNOP5678qrstUVWX';
const hex = '0123456789abcdef0123456789abcdef';
const begin = (kind = 'RSA '): string => `-----BEGIN ${kind}PRIVATE KEY-----`;
const line = `${letters}${letters}`;

/** A text, and what is left of it; `*` is the mark. */
const FOUND: readonly [string, string][] = [
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'aws_secret_access_key = *'],
  ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCY==', 'AWS_SECRET_ACCESS_KEY=*'],
  ['"secretAccessKey": "wJalrXUtnFEMI/K7MDENG"', '"secretAccessKey": "*"'],
  [`SECRET_KEY_BASE=${hex}`, 'SECRET_KEY_BASE=*'],
  [`gsk_${letters}`, '*'],
  [`SG.${letters}.${letters}!`, '*!'],
  [`ya29.a0Af_${letters}`, '*'],
  [`pypi-AgEIcHlwaS5vcmc${letters} twine`, '* twine'],
  [`xapp-1-A0123456789-${hex}`, '*'],
  [`whsec_${letters} and dop_v1_${hex}`, '* and *'],
  [`client_secret=GOCSPX-${letters}`, 'client_secret=*'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic *'],
  ['authorization: basic dXNlcjpwYXNzd29yZDEyMw==, then', 'authorization: basic *, then'],
  ['{"Authorization":"Token abc123def"}', '{"Authorization":"Token *"}'],
  ['-H "Basic dXNlcjpwYXNzd29yZDE="', '-H "Basic *"'],
  ['Basic dXNlcjpwYXNz', 'Basic *'],
  ['redis://:geheim@host/0', 'redis://:*@host/0'],
  ['password: Hunter2!xyz', 'password: *'],
  ['password=hunter2 is mine', 'password=* is mine'],
  ['password=geheim&user=tom', 'password=*&user=tom'],
  ['DB_PASSWORD="geheim"', 'DB_PASSWORD="*"'],
  ['{"password":"geheim","user":"tom"}', '{"password":"*","user":"tom"}'],
  [String.raw`{\"password\":\"geheim\",\"user\"}`, String.raw`{\"password\":\"*\",\"user\"}`],
  ['DB_PASS=geheim1', 'DB_PASS=*'],
  ['Uid=tom;Pwd=geheim;', 'Uid=tom;Pwd=*;'],
  ['passphrase: 20261130', 'passphrase: *'],
  [`${begin()}\n${line}\n${line}`, '*'],
  [`${begin('')}\n${line}\nabc=`, '*'],
  [`${begin('OPENSSH ')}\\n${line}\\n${line}… [cut: 900 characters]`, '*… [cut: 900 characters]'],
  [`${begin()}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,AB\n\n${line}\n\nThat was it.`, '*\n\nThat was it.'],
  [`${begin()}${begin()}\n${line}`, `${begin()}*`],
  [`x ${begin('EC ')}\nabc\n-----END EC PRIVATE KEY----- y`, 'x * y'],
  // What one pattern finds a part of is found whole where another finds more.
  [`Authorization: Bearer ghp_${letters}-rest.more`, 'Authorization: Bearer *'],
  [`token=sk-${letters}.more+of/it then`, 'token=* then'],
  [`token=more.sk-${letters} then`, 'token=* then'],
  [`password=ghp_${letters}!tail#1, then`, 'password=*, then'],
  // As a text of JSON holds them, and as one within one.
  ...['pa"ss\\word123', 'hunter22"more\\', '"begins"it', '\\\\"\\""', 'a/b&c\\"d'].flatMap(
    (password): [string, string][] => {
      const once = JSON.stringify({ password, user: 'tom' });
      const left = '{"password":"*","user":"tom"}';
      const twice = JSON.stringify({ out: once });
      return [
        [once, left],
        [twice, JSON.stringify({ out: left })],
        [JSON.stringify([twice]), JSON.stringify([JSON.stringify({ out: left })])],
      ];
    },
  ),
  [JSON.stringify({ api_key: 'abcd"efgh\\ijkl/mn', x: 'y' }), '{"api_key":"*","x":"y"}'],
  [String.raw`{"password":"geheim\/12\u00263"}`, '{"password":"*"}'],
];

/** Texts that nothing is to be taken out of. */
const LEFT: readonly string[] = [
  `sha256:${hex}${hex}`,
  `commit ${hex}01234567, blob ${hex}`,
  'id 3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  'etag "d41d8cd98f00b204e9800998ecf8427e"',
  'integrity sha512-ZmFrZQ/ZmFrZQ+ZmFrZQ==',
  'password: see below',
  'Password: required, and no more than once',
  'password: 8-character minimum',
  'password: sha256 of the salt',
  'The password is kept elsewhere.',
  'password = getPassword(user)',
  'password=${DB_PASSWORD}',
  'if (password === other) return;',
  'interface Login { password: string; user: string }',
  '{"password":{"type":"string"}}',
  '"password": "string"',
  'PWD=/home/tom/work OLDPWD=/tmp',
  'single-pass: implementation',
  'Basic authentication is off',
  'Authorization: Basic authentication',
  'authorization: required for all',
  'Basic JavaScript, basic TypeScriptLessons',
  'max_tokens: 4096, tokens: 123456789012',
  'the keys: a, b',
  `a file that begins with ${begin()} is a key`,
  'SG.1 and SG.2 of the rules',
  'pypi-mirror-of-this-house-2026',
  'gsk_settings and r8_value',
  'ya29 is a name',
  'SECRET_KEY_BASE is not set',
  'secret access key: rotated monthly',
  'https://a.b:80/c@d',
];

describe('what looks like a credential', () => {
  it.each(FOUND)('is found: %j', (text, left) => {
    expect(markSecrets(text, '*')).toBe(left);
    expect(redactSecrets([`${text}\n`]).changed).toBe(1);
  });

  it.each(FOUND)('is found in memory too: %j', (text, left) => {
    const kept = left.split('*').filter((part) => part.length > 2 && !part.includes('BEGIN'));
    const masked = maskSecrets(text);
    expect(masked).toContain('[masked]');
    for (const part of kept) expect(masked).toContain(part);
  });

  it.each(FOUND)('is not found again where it was taken out: %j', (text) => {
    const once = markSecrets(text, '[redacted]');
    expect(markSecrets(once, '[redacted]')).toBe(once);
    expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text));
  });

  it.each(LEFT)('is not: %j', (text) => {
    expect(markSecrets(text, '*')).toBe(text);
    expect(redactSecrets([text]).changed).toBe(0);
  });

  it('is what a field names so, a password however short', () => {
    const fields = {
      password: 'geheim',
      db_passwd: 'p4ss',
      aws_secret_access_key: 'abcdefgh',
      session_token: hex,
    };
    expect(redactSecrets(fields)).toMatchObject({ changed: 4 });
    const others = {
      password: 'none',
      passphrase: 'string',
      pageToken: hex,
      secretary: 'Tom Smith',
      pass: 'first',
    };
    expect(redactSecrets(others)).toEqual({ value: others, changed: 0 });
  });
});

describe('a long text of any kind', () => {
  const CHARS = 200_000;
  const pieces = [
    ...['a', ' ', '\n', ':', '=', '"', '\\', '-', '.', 'A', '0', '@', '://', 'a:', 'a=', '\\n', '-eyJ'],
    ...[
      'eyJaaaaaaaa.',
      'eyJ',
      '-sk-',
      'sk-',
      'SG.',
      'SG.aaaaaaaaaaaaaaaa.',
      'a-',
      'x://a:',
      'x://',
      'Basic ',
      'Bearer ',
    ],
    ...[
      'Basic a',
      'Authorization: ',
      'authorization:basic a',
      'password=',
      'password:',
      'password: a',
      'password = ',
    ],
    ...[
      'password="',
      'password: "a',
      'token:',
      'secret_',
      'secret_key_',
      'token: aaaaaaaaaaa ',
      'pypi-Ag',
      'gsk_',
      'ghp_',
    ],
    ...[
      begin(),
      `${begin()}\n`,
      `${begin()}\nabc: def`,
      `${begin()}${line}\n`,
      '-----BEGIN ',
      'abc: ',
      '\nabc: a',
      '\nabc: abc: ',
    ],
    ...[
      '-----END RSA PRIVATE KEY-----',
      'aaaaaaaaaaaaaaaa\n',
      '8-',
      'passwd:8-',
      'passwd:1+',
      'passwd:a(',
      'pwd;',
      'password:"a\\"',
      'password:\\"a',
      'password:\\\\\\"a\\',
      'api_key:"a\\\\',
    ],
  ];
  const texts = pieces.flatMap((piece) => {
    const many = piece.repeat(Math.ceil(CHARS / piece.length));
    return [many, `${begin()} password: x://token=${many}`, `password: eyJ${many}!`];
  });

  const msOf = (work: () => void): number => {
    const began = performance.now();
    work();
    return performance.now() - began;
  };
  /** A look at each character for each letter of the alphabet. */
  const plainMs = (text: string): number =>
    msOf(() => {
      for (const letter of 'abcdefghijklmnopqrstuvwxyz') text.replaceAll(`${letter}\0`, '');
    });

  it('is looked through in time that grows with it alone', { timeout: 120_000 }, () => {
    // What is looked for from every character anew takes minutes.
    const boundMs = 1000 + 100 * Math.max(...texts.slice(0, 10).map(plainMs));
    const slow = texts.filter((text) => msOf(() => maskSecrets(text)) > boundMs);
    expect(slow.map((text) => text.slice(0, 60))).toEqual([]);
  });
});
