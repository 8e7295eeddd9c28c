import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandDangers, commandRefusal } from '../../src/contracts/policy/command-dangers.ts';
import { deniedNames } from '../../src/contracts/policy/denied-names.ts';
import { parseCommand } from '../../src/contracts/policy/parse-command.ts';
import { hostOf, isPermittedHost } from '../../src/contracts/policy/permitted-host.ts';
import { isPermittedPath } from '../../src/contracts/policy/permitted-path.ts';
import { COMMAND_BYPASSES } from '../support/command-bypasses.ts';

const names = fc.constantFrom(
  'docs',
  'DOCS',
  'a.md',
  'secret',
  'Secret',
  '.env',
  'x',
  '..',
  '.',
  '',
  'ｄｏｃｓ',
  'secret.',
);
const paths = fc
  .tuple(
    fc.constantFrom('', '', '/', './', '/work/', '/work/../', '~/', 'C:'),
    fc.array(names, { maxLength: 6 }),
  )
  .map(([start, parts]) => start + parts.join('/'));

/** What a path names below /work by the rules of POSIX; null where it leads out. */
function resolved(path: string): string[] | null {
  const names: string[] = [];
  const whole = path.startsWith('/') ? path : `/work/${path}`;
  for (const name of whole.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') names.pop();
    else names.push(name);
  }
  return names[0] === 'work' ? names.slice(1) : null;
}

it('a path that is permitted lies in the workspace, where it is allowed and not denied, however it is written', () => {
  fc.assert(
    fc.property(paths, (path) => {
      const rules = { allow: ['docs', 'x/**'], deny: ['secret', '*.env', '.env'] };
      if (!isPermittedPath(path, rules, '/work')) return;
      const names = resolved(path);
      expect(names).not.toBeNull();
      expect(['docs', 'x']).toContain(names?.[0]);
      for (const name of names ?? []) {
        expect(
          name
            .normalize('NFKC')
            .toLowerCase()
            .replace(/[. ]+$/, ''),
        ).not.toMatch(/^secret$|\.env$/);
      }
    }),
    { numRuns: 5000 },
  );
});

it('any text at all is judged as a path, and what cannot be seen is never permitted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const isPermitted = isPermittedPath(text, { deny: [] });
      if (/[\p{Cc}\p{Cf}\p{Cs}\\]/u.test(text)) expect(isPermitted).toBe(false);
    }),
    { numRuns: 3000 },
  );
});

it('what is denied of a folder, name by name, is what is not permitted as a path', () => {
  const name = fc.constantFrom(
    'a',
    'A',
    'b.pem',
    'secret',
    '.env',
    'x',
    '℀',
    'b.pem.',
    '~y',
    'c:',
    'a\u200bb',
  );
  const part = fc.constantFrom(
    'a',
    '*',
    '**',
    '*.pem',
    'secret',
    'x',
    '?',
    '{a,x/secret}',
    'C',
    '.',
    '',
    'b.pem.',
    '{a,{x,C }}',
    '℀',
    'x:y',
  );
  const pattern = fc
    .tuple(fc.constantFrom('', './', '/'), fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([start, parts]) => start + parts.join('/'));
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 3 }),
      fc.array(name, { minLength: 1, maxLength: 5 }),
      (deny, path) => {
        let at = deniedNames(deny);
        let isDenied = false;
        for (const [index, each] of path.entries()) {
          if (isDenied) break;
          at = at.enter(each);
          isDenied = at.isDenied;
          expect(isDenied).toBe(!isPermittedPath(path.slice(0, index + 1).join('/'), { deny }));
          if (!isDenied && !at.mayHoldDenied && path.slice(index + 1).every((rest) => rest !== 'a\u200bb'))
            expect(isPermittedPath(path.join('/'), { deny })).toBe(true);
        }
      },
    ),
    { numRuns: 5000 },
  );
});

const hosts = fc.constantFrom(
  'a.example',
  'evil.example',
  'A.EXAMPLE',
  'a.example.',
  'sub.a.example',
  'a.example.evil',
  '127.1',
);
const addresses = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://', 'ftp://', '//', ''),
    fc.constantFrom('', 'user@', 'a.example@', 'a.example:x@'),
    hosts,
    fc.constantFrom('', ':80', ':8080'),
    fc.constantFrom('', '/', '/a.example', '?a.example', '#a.example', '\\@a.example', '/..//a.example'),
  )
  .map((parts) => parts.join(''));

it('an address that is permitted is one whose host a client would look up as one that is allowed', () => {
  fc.assert(
    fc.property(addresses, (address) => {
      if (!isPermittedHost(address, { allow: ['a.example', '*.a.example'], deny: [] })) return;
      const whole = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
      expect(new URL(whole).hostname.replace(/\.$/, '')).toMatch(/^(?:sub\.)?a\.example$/i);
    }),
    { numRuns: 3000 },
  );
});

it('a denied host is denied in every notation of its address', () => {
  for (const address of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    'http://127.1:80/x',
    '127.0.0.1.',
  ]) {
    expect(hostOf(address)).toBe('127.0.0.1');
    expect(isPermittedHost(address, { deny: ['127.0.0.1'] })).toBe(false);
  }
});

const harmless = fc.constantFrom('ls', 'ls docs', 'cat a.txt', 'echo x', 'pwd', 'wc -l a.txt');
const separators = fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ';');

it('a part that is asked about makes the whole asked about, wherever it stands', () => {
  const bypasses = COMMAND_BYPASSES.map(([, command]) => command).filter(
    (command) => parseCommand(command).ok,
  );
  fc.assert(
    fc.property(
      fc.array(harmless, { maxLength: 4 }),
      fc.constantFrom(...bypasses),
      fc.array(harmless, { maxLength: 4 }),
      separators,
      (before, bypass, after, separator) => {
        expect(commandDangers([...before, bypass, ...after].join(separator))).not.toEqual([]);
      },
    ),
    { numRuns: 2000 },
  );
});

it('harmless parts make a harmless whole', () => {
  fc.assert(
    fc.property(fc.array(harmless, { minLength: 1, maxLength: 5 }), separators, (parts, separator) => {
      expect(commandDangers(parts.join(separator))).toEqual([]);
    }),
  );
});

/** Ways to quote letters that mean the same to a shell. */
const quoted = (word: string) =>
  fc
    .array(fc.constantFrom('plain', 'single', 'double', 'escape', 'empty'), {
      minLength: word.length,
      maxLength: word.length,
    })
    .map((ways) =>
      Array.from(word, (letter, place) => {
        const way = ways[place];
        if (way === 'single') return `'${letter}'`;
        if (way === 'double') return `"${letter}"`;
        if (way === 'escape') return `\\${letter}`;
        return way === 'empty' ? `''${letter}` : letter;
      }).join(''),
    );

it('a denied program is found however its letters are quoted', () => {
  fc.assert(
    fc.property(
      quoted('rm'),
      fc.constantFrom('', '/bin/', 'sudo ', 'env A=1 ', 'ls; '),
      (program, before) => {
        expect(commandRefusal(`${before}${program} x`, { deny: ['rm **'], trusted: [] })).toContain('denies');
        expect(commandDangers(`${before}${program} x`)).not.toEqual([]);
      },
    ),
    { numRuns: 1000 },
  );
});

it('any text at all is judged as a command, and what is not plain ASCII words is asked about', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string()),
      (text) => {
        const dangers = commandDangers(text);
        if (/[$`{}()\p{Cf}\p{Cs}\r\0]/u.test(text.replace(/'[^']*'/g, '').replace(/\\[^\n]/g, ''))) {
          expect(dangers).not.toEqual([]);
        }
      },
    ),
    { numRuns: 4000 },
  );
});
