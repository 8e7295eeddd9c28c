import { describe, expect, it } from 'vitest';
import {
  namedTargets,
  permitsOf,
  refusedArguments,
} from '../../../../src/contracts/policy/judge-arguments.ts';
import { isPermittedHost } from '../../../../src/contracts/policy/permitted-host.ts';
import { isPermittedPath } from '../../../../src/contracts/policy/permitted-path.ts';

describe('isPermittedPath', () => {
  const rules = { allow: ['docs', 'src/**/*.ts', '*.md'], deny: ['private', '*.key', 'docs/old/**'] };

  it.each([
    ...[
      'docs',
      'docs/a.txt',
      './docs/a',
      'docs/x/../a',
      'src/a.ts',
      'src/x/y.ts',
      'README.md',
      '/work/docs/a',
    ],
    ...['docs//a', 'x/../docs/a'],
  ])('permits %s', (path) => {
    expect(isPermittedPath(path, rules, '/work')).toBe(true);
  });

  it.each([
    ...[
      '.',
      '',
      'x',
      'DOCS/a',
      'x/docs/a',
      'x/README.md',
      'src/a.js',
      'docs/../x',
      '../docs/a',
      '/docs/a',
      '/work/../docs',
    ],
    ...[
      'docs/private/a',
      'docs/PRIVATE/a',
      'docs/a.key',
      'docs/a.KEY',
      'docs/a.key.',
      'docs/a.key ',
      'docs/a.key::$DATA',
      'docs/a.key. ::$DATA',
    ],
    ...[
      'docs/old/x',
      'docs/pr\u200bivate',
      'docs\\a',
      'docs/\0',
      '~/docs/a',
      'C:docs/a',
      'docs/\uff50rivate/a',
    ],
    ...['/workspace/docs/a', 'docs/\ud800'],
  ])('does not permit %j', (path) => {
    expect(isPermittedPath(path, rules, '/work')).toBe(false);
  });

  it('permits all that is not denied, where nothing is allowed by name', () => {
    expect(isPermittedPath('a/b', { deny: ['c'] })).toBe(true);
    expect(isPermittedPath('.', { deny: ['c'] })).toBe(true);
    expect(isPermittedPath('a/c/b', { deny: ['c'] })).toBe(false);
  });

  it.each([
    ['/private/key', 'private/key'],
    ['/key', 'a/key'],
    ['private//key', 'private/key'],
    ['private/./key', 'PRIVATE/key/x'],
    ['./private/key/.', 'private/key'],
    ['{a,{b,c}}.pem', 'x/b.pem'],
    ['{*.pem,private/key}', 'x/b.pem'],
    ['secret.', 'secret'],
    ['secret.', 'x/secret.'],
    ['README ', 'README '],
    ['{a.,b }/c', 'b/c'],
    ['notes:x', 'notes'],
    ['.', 'a'],
    ['/', 'a/b'],
  ])('a denial %j holds for %s', (pattern, path) => {
    expect(isPermittedPath(path, { deny: [pattern] })).toBe(false);
  });

  it.each([
    ['/private/key', 'private/other'],
    ['private//key', 'x/private/key'],
    ['{a,{b,c}}.pem', 'd.pem'],
    ['secret.', 'secrets'],
    ['{a,b/c}', 'c'],
  ])('a denial %j does not hold for %s', (pattern, path) => {
    expect(isPermittedPath(path, { deny: [pattern] })).toBe(true);
  });

  it.each([
    ['/docs', 'docs/a', true],
    ['docs//./x', 'docs/x', true],
    ['{docs,{src,lib}}/*.ts', 'lib/a.ts', true],
    ['/docs', 'x/docs', false],
    ['/docs', 'DOCS', false],
    ['docs.', 'docs', false],
    ['.', 'docs', false],
    ['.', '.', true],
    ['**', '.', true],
    ['**/*', '.', false],
  ])('what is allowed by %j: %s, %s', (pattern, path, expected) => {
    expect(isPermittedPath(path, { allow: [pattern], deny: [] })).toBe(expected);
  });
});

describe('isPermittedHost', () => {
  const rules = { allow: ['example.com', '*.example.org', 'bücher.example'], deny: ['bad.example.org'] };

  it.each([
    ...[
      'https://example.com/x',
      'http://EXAMPLE.com.',
      'example.com',
      'example.com:8080',
      'https://a.b.example.org',
    ],
    ...[
      'https://xn--bcher-kva.example/',
      'https://user:x@example.com/',
      'https://example.com:444/?q=evil.example',
    ],
  ])('permits %s', (target) => {
    expect(isPermittedHost(target, rules)).toBe(true);
  });

  it.each([
    ...[
      'https://example.com.evil.example',
      'https://evil.example/example.com',
      'https://example.com@evil.example',
    ],
    ...[
      'https://example.org',
      'https://xexample.org',
      'https://BAD.example.org',
      'https://bad.example.org./x',
    ],
    ...[
      'http://example.com\\@evil.example/',
      'javascript:alert(1)',
      'data:text/plain,x',
      'file:///etc/passwd',
      '',
      'not a host',
    ],
    ...['https://evil.example#@example.com', 'https://ex\u0430mple.com', '//', 'https://', 'http://[::1]/'],
  ])('does not permit %j', (target) => {
    expect(isPermittedHost(target, rules)).toBe(false);
  });
});

describe('a denied address', () => {
  it.each([
    ...['http://[::ffff:127.0.0.1]:18088/', 'http://[::ffff:7f00:1]/', '[0:0:0:0:0:ffff:127.0.0.1]'],
    ...['http://[64:ff9b::127.0.0.1]/', 'http://[2002:7f00:1::]/', 'http://[2002:7f00:1::5]/', '127.1'],
    ...['http://[2606:4700::5efe:127.0.0.1]/', 'http://[::7f00:1]/', 'http://[::ffff:5db8:d822]/'],
  ])('is found in %s', (target) => {
    expect(isPermittedHost(target, { deny: ['127.0.0.1', '93.184.216.34'] })).toBe(false);
  });

  it.each(['[::ffff:127.0.0.1]', '127.0.0.1', '[64:ff9b::7f00:1]'])(
    'that is carried holds for %s',
    (target) => {
      expect(isPermittedHost(target, { deny: ['[::ffff:127.0.0.1]'] })).toBe(false);
    },
  );

  it.each([
    '[::ffff:127.0.0.2]',
    '[2002:7f00:2::]',
    '[2606:4700::1111]',
    '[::1]',
    'example.com',
    '[1::7f00:1]',
  ])('is not found in %s', (target) => {
    expect(isPermittedHost(target, { deny: ['127.0.0.1'] })).toBe(true);
  });

  it('has to be written as it is where it is allowed', () => {
    expect(isPermittedHost('http://[64:ff9b::7f00:1]/', { allow: ['127.0.0.1'], deny: [] })).toBe(false);
    expect(isPermittedHost('http://[::ffff:7f00:1]/', { allow: ['[::ffff:127.0.0.1]'], deny: [] })).toBe(
      true,
    );
  });
});

describe('the arguments of a call', () => {
  const tool = { argumentKinds: { path: 'path', urls: 'url', command: 'command', to: 'recipient' } } as const;

  it('are named by what the tool says of them, items of lists and literals too', () => {
    const args = { path: { $literal: 'a' }, urls: ['b', { $ref: 'x' }], to: 5, other: 'c' };
    expect(namedTargets(tool, args)).toEqual([
      { argument: 'path', kind: 'path', text: 'a' },
      { argument: 'urls', kind: 'url', text: 'b' },
    ]);
    expect(namedTargets({}, args)).toEqual([]);
    expect(namedTargets(tool, 'text')).toEqual([]);
  });

  it('are refused one by one', () => {
    const policy = {
      paths: { deny: ['a'] },
      hosts: { deny: ['b.example'] },
      commands: { deny: ['rm **'], trusted: [] },
    };
    const args = { path: 'a', urls: ['https://b.example', 'https://c.example'], command: 'rm x', to: 'eve' };
    expect(refusedArguments(tool, args, policy, '/').map(({ argument }) => argument)).toEqual([
      'path',
      'urls',
      'command',
    ]);
    expect(refusedArguments(tool, args, {}, '/')).toEqual([]);
  });

  it('that are commands are refused where dangerous ones are denied', () => {
    const deny = { dangerous: 'deny' } as const;
    expect(refusedArguments(tool, { command: 'rm x' }, deny, '/')).toHaveLength(1);
    expect(refusedArguments(tool, { command: 'ls' }, deny, '/')).toEqual([]);
  });
});

describe('permitsOf', () => {
  it('answers for paths and addresses, and for nothing where policy says nothing of them', () => {
    expect(permitsOf({})).toBeUndefined();
    const permits = permitsOf({ paths: { allow: ['docs'], deny: [] } });
    expect([
      permits?.('path', 'docs/a'),
      permits?.('path', 'x'),
      permits?.('url', 'https://x.example'),
    ]).toEqual([true, false, true]);
  });
});
