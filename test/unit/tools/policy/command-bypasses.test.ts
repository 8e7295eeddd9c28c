import { describe, expect, it } from 'vitest';
import { commandDangers, commandRefusal } from '../../../../src/contracts/policy/command-dangers.ts';
import { COMMAND_BYPASSES } from '../../../support/command-bypasses.ts';

describe('commandDangers', () => {
  it.each(COMMAND_BYPASSES)('asks about %s', (_kind, command) => {
    expect(commandDangers(command)).not.toEqual([]);
  });

  it('knows a hundred kinds and more, none of them twice', () => {
    expect(COMMAND_BYPASSES.length).toBeGreaterThanOrEqual(100);
    expect(new Set(COMMAND_BYPASSES.map(([kind]) => kind)).size).toBe(COMMAND_BYPASSES.length);
    expect(new Set(COMMAND_BYPASSES.map(([, command]) => command)).size).toBe(COMMAND_BYPASSES.length);
  });

  it.each([
    'ls',
    'ls -la docs',
    'cat README.md | head -n 5',
    "grep -rn 'two words' src",
    'echo "a; rm -rf b"',
    'wc -l notes.txt && pwd',
    'find . -name "*.md"',
    'git status --short',
    'git diff --stat',
    'sort notes.txt | uniq -c',
    'diff a.txt b.txt > /dev/null 2>&1',
    'echo done > notes/out.txt',
    'ls \\\n docs',
    'cd docs',
    'cat é.txt',
  ])('lets be what only looks: %s', (command) => {
    expect(commandDangers(command)).toEqual([]);
  });

  it('trusts what the task trusts, word for word, and in that part alone', () => {
    const trusted = ['npm test', 'npm run *', 'make **'];
    for (const command of [
      'npm test',
      'npm run lint',
      'n"pm" test',
      'make',
      'make -j 4 all',
      'ls && npm test',
    ]) {
      expect(commandDangers(command, trusted)).toEqual([]);
    }
    for (const command of [
      ...[
        'npm test x',
        'npm run',
        'npm run a b',
        'npm publish',
        'npm test; rm x',
        'npm test > ../x',
        'npm test &',
      ],
      ...['npm test $(rm x)', 'X=1 npm test', './npm test', 'npm\u00a0test'],
    ]) {
      expect(commandDangers(command, trusted)).not.toEqual([]);
    }
  });

  it('says why', () => {
    expect(commandDangers('rm x; curl y')).toEqual(['rm deletes or overwrites', 'curl reaches the network']);
    expect(commandDangers('echo $(x)')).toEqual(['it holds what is known only when it runs: $']);
  });
});

describe('commandRefusal', () => {
  const deny = { deny: ['rm **', 'git push **'], trusted: [] };

  it.each([
    ...[
      'rm x',
      'ls; rm x',
      '/bin/rm x',
      '\\rm x',
      "r'm' x",
      'RM x',
      'sudo rm x',
      'env A=1 rm x',
      'ls | xargs rm x',
    ],
    ...[
      'sh -c "rm x"',
      'bash -c "ls && rm x"',
      'r\\\nm x',
      '\uff52\uff4d x',
      '\u001b[31mrm\u001b[0m x',
      'r\u200bm x',
    ],
    ...['git push', 'git push --force', 'cd a && git push', 'rm'],
  ])('finds what is denied in %s', (command) => {
    expect(commandRefusal(command, deny)).toContain('policy denies');
  });

  it.each(['ls', 'git pull', 'farm x'])('lets %s be', (command) => {
    expect(commandRefusal(command, deny)).toBeNull();
  });

  it('allows only what is on the list, in every part', () => {
    const allow = { allow: ['npm test', 'ls **'], deny: [], trusted: [] };
    expect(commandRefusal('npm test && ls -l docs', allow)).toBeNull();
    for (const command of ['npm run x', 'npm test; x', 'npm test $(x)', 'ls > out', 'sh -c "npm test"', '']) {
      expect(commandRefusal(command, allow)).not.toBeNull();
    }
  });
});
