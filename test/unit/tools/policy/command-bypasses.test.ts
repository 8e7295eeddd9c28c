import { describe, expect, it } from 'vitest';
import { commandDangers, commandRefusal } from '../../../../src/contracts/policy/command-dangers.ts';
import { COMMAND_BYPASSES } from '../../../support/command-bypasses.ts';
import { DENIAL_BYPASSES } from '../../../support/denial-bypasses.ts';

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
    'cat *.md docs/*.ts',
    'cat notes-?.txt',
    "grep -rn '.' src docs",
    'grep -rne x src',
    'diff -r docs notes',
    'test -f notes.txt',
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

  it.each([
    ...['ls', 'git pull', 'farm x', 'cat *', 'ls *.md', "find . -name '*'", 'find . -exec wc -l {} +'],
    ...['ls | xargs git log', 'ls | xargs -n 1 wc -l', 'ls | xargs -I X wc X', 'timeout 60 ls *'],
    ...['git -C docs status', 'git -c core.pager=cat log', 'git commit -m "mend (a) $b"'.replace('$b', 'b')],
    ...[
      'make -j 4 all',
      'npm run build --if-present',
      'sh build.sh',
      'python3 tools/x.py *.csv',
      'python3 --version',
    ],
    ...[
      "grep -rn 'a(b' src",
      'sed s/a/b/ x',
      'env A=1 npm test',
      'sudo -u me ls',
      'echo "a & b"',
      'ls a=b=c=d=e',
    ],
  ])('lets %s be', (command) => {
    expect(commandRefusal(command, deny)).toBeNull();
  });

  it.each(DENIAL_BYPASSES)('is not passed by %s', (_kind, command) => {
    expect(commandRefusal(command, deny)).not.toBeNull();
  });

  it('finds more ways past a denial than one', () => {
    expect(new Set(DENIAL_BYPASSES.map(([, command]) => command)).size).toBe(DENIAL_BYPASSES.length);
  });

  it('refuses what cannot be read where something is denied, and says how to write it', () => {
    const refusal = commandRefusal('ls "$HOME"', deny);
    expect(refusal).toContain('it holds what is known only when it runs, in quotes');
    expect(refusal).toContain('where commands.deny is set only what can be read whole is run');
    expect(refusal).toContain('write it in plain words');
    expect(commandRefusal('ls "$HOME"', { deny: [], trusted: [] })).toBeNull();
  });

  it('passes over options before a word that is denied, and not over words', () => {
    const rules = { deny: ['docker compose down **', 'npm publish', './deploy.sh **'], trusted: [] };
    for (const command of [
      ...[
        'docker --context x compose -f y.yml down',
        'npm --prefix a publish',
        './deploy.sh now',
        'sh deploy.sh',
      ],
    ]) {
      expect(commandRefusal(command, rules)).toContain('policy denies');
    }
    for (const command of ['docker compose up down', 'npm run publish', 'npm publish x']) {
      expect(commandRefusal(command, rules)).toBeNull();
    }
  });

  it('allows only what is on the list, in every part', () => {
    const allow = { allow: ['npm test', 'ls **'], deny: [], trusted: [] };
    expect(commandRefusal('npm test && ls -l docs', allow)).toBeNull();
    for (const command of ['npm run x', 'npm test; x', 'npm test $(x)', 'ls > out', 'sh -c "npm test"', '']) {
      expect(commandRefusal(command, allow)).not.toBeNull();
    }
  });
});
