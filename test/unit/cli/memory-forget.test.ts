import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../../../src/contracts/memory.ts';
import { fact } from '../../support/memory-entries.ts';
import { bare, daysAgo, openFolder } from './memory-folder.ts';
import { atTerminal } from './support.ts';

describe('memory forget', () => {
  const old = (days: number, text = 'x'): MemoryEntry => bare(fact(`d${days}`, text, daysAgo(days)));

  it.each([
    [
      ['d1', 'd2'],
      ['d10', 'd50', 'd60'],
    ],
    [
      ['--older-than', '30d'],
      ['d1', 'd2', 'd10'],
    ],
    [
      ['--max-entries', '2'],
      ['d1', 'd2'],
    ],
    [['--max-entries', '0'], []],
    [
      ['--max-entries', '4', '--older-than', '55d'],
      ['d1', 'd2', 'd10', 'd50'],
    ],
    [
      ['--max-entries', '0', '--tier', 'episodic'],
      ['d1', 'd2', 'd10', 'd50', 'd60'],
    ],
  ])('%j leaves %j, and says what went', async (words, left) => {
    const all = [1, 2, 10, 50, 60];
    const { json, idsLeft } = await openFolder({ own: all.map((days) => old(days)), other: [old(99)] });
    const report = await json('forget', ...words, '--yes');
    expect(await idsLeft()).toEqual(left);
    const gone = all.map((days) => `d${days}`).filter((id) => !left.includes(id));
    expect(report).toEqual({ scope: 'own', forgotten: gone });
    expect(await idsLeft('other')).toEqual(['d99']);
  });

  it('forgets the oldest until the rest takes at most so many bytes', async () => {
    const { json, idsLeft } = await openFolder({ own: [1, 2, 3].map((days) => old(days, 'x'.repeat(900))) });
    const size = async () => ((await json('stats'))['stats'] as { bytes: number }).bytes;
    const before = await size();
    await json('forget', '--max-size', '1GB', '--yes');
    expect(await size()).toBe(before);
    await json('forget', '--max-size', `${before}B`, '--yes');
    expect(await size()).toBe(before);
    await json('forget', '--max-size', `${before - 1}B`, '--yes');
    expect(await idsLeft()).toEqual(['d1', 'd2']);
  });

  it('asks first, and takes only a yes for one', async () => {
    for (const [answer, left] of [
      ['y\n', []],
      ['\n', ['d1']],
      ['no\n', ['d1']],
    ] as const) {
      const { run, idsLeft } = await openFolder({ own: [old(1)] });
      const io = atTerminal(answer);
      expect((await run(['forget', 'd1'], io)).exitCode).toBe(0);
      expect(io.written.stderr).toContain('  d1  semantic, 24 h ago\nForget 1 memory of scope "own"? [y/N]');
      expect(io.written.stdout).toContain(
        left.length === 0 ? '1 memory of scope "own" forgotten.' : 'Nothing',
      );
      expect(await idsLeft()).toEqual(left);
    }
  });

  it('forgets nothing without consent, without a reason, or where a name is none', async () => {
    const { run, idsLeft } = await openFolder({ own: [old(1), old(2)] });
    const unasked = await run(['forget', 'd1']);
    expect(unasked).toMatchObject({ exitCode: 2 });
    expect(unasked.stderr).toContain('nobody can be asked\nAdd --yes.');
    const aimless = await run(['forget', '--yes']);
    expect(aimless).toMatchObject({ exitCode: 2 });
    expect(aimless.stderr).toContain('what shall be forgotten?');
    expect(await run(['forget', 'd1', 'd3', '--yes'])).toMatchObject({ exitCode: 2 });
    expect(await run(['forget', 'd1', '--max-entries', '0', '--yes'])).toMatchObject({ exitCode: 2 });
    expect(await idsLeft()).toEqual(['d1', 'd2']);
  });

  it('tells of many in few lines', async () => {
    const { run } = await openFolder({ own: Array.from({ length: 30 }, (_value, day) => old(day)) });
    const { stdout } = await run(['forget', '--max-entries', '0', '--yes']);
    expect(stdout.split('\n').filter((line) => line.startsWith('  d'))).toHaveLength(20);
    expect(stdout).toContain('  … and 10 more\n30 memories of scope "own" forgotten.\n');
  });
});
