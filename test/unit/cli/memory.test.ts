import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemoryRecord } from '../../../src/contracts/memory.ts';
import { embedded, episode, fact, vectorOf } from '../../support/memory-entries.ts';
import { bare, CITIES, daysAgo, openFolder } from './memory-folder.ts';

describe('memory search', () => {
  it('says of each hit what it is, how alike, how old, where from; and how it was searched', async () => {
    const { run } = await openFolder({ own: CITIES, other: [bare(fact('leak', 'inhabitants of Tokyo'))] });
    const { exitCode, stdout, stderr } = await run(['search', 'inhabitants of Tokyo']);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^run-1\/episode\n {2}0\.\d\d · episodic · 80 d ago · run run-1\/episode\n {2}compare .* ended failed\n/m,
    );
    expect(stdout).toMatch(
      /^tokyo\n {2}0\.\d\d · semantic · 3 d ago · look, node tokyo of run r1\n {2}Tokyo has/m,
    );
    expect(stdout).toContain('the best 3 of 3 memories of scope "own", by shared words\n');
    expect(stdout).not.toContain('leak');
    expect(stdout).toMatch(/\nNext: orchestrate memory show \S+ --task /);
  });

  it('finds in one tier, so many at most, and nothing where nothing is alike', async () => {
    const { json, run } = await openFolder({ own: CITIES });
    const one = await json('search', 'inhabitants of Tokyo', '--limit', '1');
    expect(one).toMatchObject({ scope: 'own', similarity: 'words', searched: 3 });
    expect(one['hits']).toHaveLength(1);
    const facts = await json('search', 'inhabitants of Tokyo', '--tier', 'semantic');
    expect(facts['hits']).toMatchObject([{ record: { id: 'tokyo' } }, { record: { id: 'osaka' } }]);
    expect((await run(['search', 'quite another thing'])).stdout).toContain(
      'nothing like it among 3 memories of scope "own"',
    );
  });

  it('warns where there is no model, and goes by words', async () => {
    const { run, folder } = await openFolder({ own: CITIES });
    writeFileSync(join(folder, 'task.yaml'), 'memory: { path: memory.db, scope: own, model: empty }');
    const { exitCode, stdout, stderr } = await run(['search', 'Tokyo']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('by shared words');
    expect(stderr).toMatch(/^warning: memories were compared by their words, .* \(orchestrate doctor says/);
  });
});

describe('memory add', () => {
  it('keeps a fact with its figures once, and masks credentials', async () => {
    const { run, json, idsLeft } = await openFolder();
    const { exitCode, stdout } = await run(['add', ' The report has 1.4 MB ']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^added note\/[0-9a-f]{12} in scope "own", without a vector\n/);
    expect((await run(['add', 'The report has 1.4 MB'])).stdout).toMatch(/^replaced /);
    const [id = ''] = await idsLeft();
    expect(await json('show', id)).toMatchObject({
      ...{ scope: 'own', text: 'The report has 1.4 MB', tier: 'semantic', vector: null },
      figures: [{ kind: 'number', text: '1.4 MB' }],
    });
    const secret = await run(['add', `the key is sk-live-${'a1B2'.repeat(6)}`, '--id', 'key']);
    expect(secret.stderr).toContain('what looks like a credential was masked');
    expect(await json('show', 'key')).toMatchObject({ text: 'the key is [masked]' });
  });

  it('refuses what is no fact', async () => {
    const { run, db } = await openFolder();
    expect(await run(['add', '  '])).toMatchObject({ exitCode: 2 });
    const long = await run(['add', 'word '.repeat(1000)]);
    expect(long.exitCode).toBe(2);
    expect(long.stderr).toContain('4999 characters, of at most 2000');
    expect(existsSync(db)).toBe(false);
  });
});

describe('memory list', () => {
  it('lists the newest first, bounded, with a count', async () => {
    const { run } = await openFolder({ own: CITIES });
    const all = await run(['list']);
    expect(all.stdout).toMatch(/^tokyo +semantic +3 d ago +look, node tokyo of run r1 +Tokyo has .*$/m);
    expect(all.stdout).toContain('\n3 memories\n');
    const two = await run(['list', '--limit', '2']);
    expect(two.stdout.indexOf('osaka')).toBeGreaterThan(two.stdout.indexOf('tokyo'));
    expect(two.stdout).not.toContain('run-1/episode');
    expect(two.stdout).toContain('… and 1 more of 3 (--limit 0 lists all)');
  });

  it.each([
    [['--tier', 'episodic'], ['run-1/episode']],
    [
      ['--older-than', '30d'],
      ['osaka', 'run-1/episode'],
    ],
    [['--newer-than', '30d'], ['tokyo']],
    [['--older-than', '30d', '--newer-than', '60d'], ['osaka']],
    [['--older-than', '30d', '--tier', 'semantic'], ['osaka']],
    [['--newer-than', '1h'], []],
  ])('filters by %j', async (words, expected) => {
    const { json } = await openFolder({ own: CITIES });
    const listed = await json('list', ...words);
    expect(listed['total']).toBe(expected.length);
    expect((listed['entries'] as MemoryRecord[]).map(({ id }) => id)).toEqual(expected);
  });

  it('makes no file, and says what to do where there is none', async () => {
    const { run, db } = await openFolder();
    const { exitCode, stdout } = await run(['list']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Nothing is remembered in scope "own"\.\n\nNext: orchestrate memory stats/);
    for (const words of [['stats'], ['search', 'x'], ['export'], ['forget', '--older-than', '1d', '--yes']])
      expect((await run(words)).exitCode).toBe(0);
    expect(existsSync(db)).toBe(false);
  });

  it('refuses amounts that are none', async () => {
    const { run } = await openFolder();
    for (const words of [
      ['list', '--limit', 'x'],
      ['list', '--older-than', '3'],
      ['forget', '--max-size', '20'],
    ]) {
      const { exitCode, stderr } = await run(words);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('expected a');
    }
  });
});

describe('memory show', () => {
  it('shows all of one memory by a prefix that only it has', async () => {
    const { run } = await openFolder({
      own: [
        embedded(
          {
            ...episode('run-1/episode', 'compare two cities\nended failed', daysAgo(1)),
            tier: 'episodic',
            episode: {
              ...{ goal: 'g', shape: 'look', failures: [], status: 'failed', reasons: [] },
              ...{ replans: 1, tokens: 1234, toolCalls: 3, costMicroUsd: 4200 },
            },
          },
          vectorOf(1),
        ),
      ],
    });
    const { stdout } = await run(['show', 'run']);
    expect(stdout).toMatch(/^id +run-1\/episode$/m);
    expect(stdout).toMatch(/^at +\d{4}-\d\d-\d\d .* UTC, 24 h ago$/m);
    expect(stdout).toMatch(/^vector +32 dimensions, by m$/m);
    expect(stdout).toMatch(/^status +failed, after 1 replan$/m);
    expect(stdout).toMatch(/^spent +3 tool calls · 1,234 tokens · \$0\.0042$/m);
    expect(stdout).toContain('\n\ncompare two cities\nended failed\n');
  });

  it('names the candidates of a prefix, the nearest id of a slip, and nothing of another scope', async () => {
    const { run } = await openFolder({
      own: [
        bare(fact('run-1/tokyo', 'x', 1)),
        bare(fact('run-1/osaka', 'x', 2)),
        bare(fact('run-1', 'x', 3)),
      ],
      other: [bare(fact('run-2', 'secret'))],
    });
    const several = await run(['show', 'run-1/']);
    expect(several).toMatchObject({ exitCode: 2, stdout: '' });
    expect(several.stderr).toContain('"run-1/" could be any of 2 memories: run-1/osaka, run-1/tokyo');
    expect((await run(['show', 'run-1'])).stdout).toMatch(/^id +run-1$/m);
    expect((await run(['show', 'run-1/tokio'])).stderr).toContain('Did you mean run-1/tokyo?');
    const foreign = await run(['show', 'run-2']);
    expect(foreign.stderr).toContain('there is no memory "run-2" in scope "own"');
    expect((await run(['show', 'run-2', '--scope', 'other'])).stdout).toContain('secret');
  });
});

describe('memory stats', () => {
  it('counts entries, bytes, vectors and what lacks one', async () => {
    const { run, json, folder } = await openFolder({
      own: [embedded(fact('a', 'x', daysAgo(3)), vectorOf(1)), bare(episode('e', 'y', daysAgo(1)))],
      other: [bare(fact('b', 'z'))],
    });
    expect(await json('stats')).toMatchObject({
      ...{ scope: 'own', path: join(folder, 'memory.db'), model: null, withoutVector: 0 },
      stats: { entries: 2, models: [{ model: '' }, { model: 'm', dimensions: 32, entries: 1 }] },
      otherScopes: [{ scope: 'other', entries: 1 }],
    });
    writeFileSync(join(folder, 'task.yaml'), 'memory: { path: memory.db, scope: own }');
    const { stdout } = await run(['stats']);
    expect(stdout).toMatch(/^file +\S+memory\.db \(\d+(?:\.\d)? kB\)$/m);
    expect(stdout).toMatch(/^age +3 d ago … 24 h ago$/m);
    expect(stdout).toMatch(
      /^vectors +1 without, 1 of m \(32 dimensions\); 2 lack one of all-MiniLM-L6-v2@afdb6f1a \(orchestrate memory reindex --task /m,
    );
    expect(stdout).toMatch(/^others +other \(1\) \(--scope NAME\)$/m);
    expect(stdout).toMatch(/^semantic +1 +\d+ B$/m);
  });
});

describe('memory reindex', () => {
  it('says what cannot be done, and what to do', async () => {
    const { run, folder } = await openFolder({ own: CITIES });
    const byWords = await run(['reindex']);
    expect(byWords).toMatchObject({ exitCode: 2 });
    expect(byWords.stderr).toContain('Set memory.similarity to fusion.');
    writeFileSync(join(folder, 'task.yaml'), 'memory: { path: memory.db, scope: own, model: empty }');
    const noModel = await run(['reindex']);
    expect(noModel.exitCode).toBe(1);
    expect(noModel.stderr).toContain('`orchestrate memory pull` gets the model');
  });
});
