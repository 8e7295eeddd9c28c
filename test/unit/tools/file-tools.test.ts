import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import type { BuiltinToolName } from '../../../src/tools/builtin/names.ts';
import { callBuiltin } from '../../support/builtin-call.ts';

let workspace = '';

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-files-')));
});

afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const call = (name: BuiltinToolName, args: Json): Promise<Json> => callBuiltin(name, args, { workspace });
const inside = (path: string): string => join(workspace, path);
const text = (path: string): string => readFileSync(inside(path), 'utf8');

describe('write_file', () => {
  it('makes the folders that are missing and says what it wrote', async () => {
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'grüezi' })).toEqual({
      path: 'a/b/c.txt',
      bytes: 7,
    });
    expect(text('a/b/c.txt')).toBe('grüezi');
  });

  it('replaces a file, keeps its mode and leaves nothing else behind', async () => {
    writeFileSync(inside('run.sh'), 'old and longer');
    chmodSync(inside('run.sh'), 0o750);
    await call('write_file', { path: 'run.sh', content: 'new' });
    expect(text('run.sh')).toBe('new');
    expect(statSync(inside('run.sh')).mode & 0o777).toBe(0o750);
    expect(readdirSync(workspace)).toEqual(['run.sh']);
  });

  it('writes through a link of the workspace, which stays a link', async () => {
    mkdirSync(inside('real'));
    writeFileSync(inside('real/file.txt'), 'old');
    symlinkSync('real/file.txt', inside('link.txt'));
    symlinkSync(inside('real'), inside('folder'));
    await call('write_file', { path: 'link.txt', content: 'one' });
    expect(text('real/file.txt')).toBe('one');
    await call('write_file', { path: 'folder/file.txt', content: 'two' });
    expect(text('real/file.txt')).toBe('two');
  });

  it('keeps a file that it was told not to replace, unless it holds the same', async () => {
    writeFileSync(inside('note.txt'), 'mine');
    const args = { path: 'note.txt', overwrite: false };
    await expect(call('write_file', { ...args, content: 'other' })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
    expect(text('note.txt')).toBe('mine');
    expect(await call('write_file', { ...args, content: 'mine' })).toEqual({ path: 'note.txt', bytes: 4 });
  });

  it.each([
    ['a folder', 'folder'],
    ['the workspace', '.'],
  ])('does not replace %s', async (_what, path) => {
    mkdirSync(inside('folder'));
    await expect(call('write_file', { path, content: 'x' })).rejects.toMatchObject({ code: 'tool_misuse' });
  });

  it('leaves the old file when it is aborted', async () => {
    writeFileSync(inside('note.txt'), 'old');
    const signal = AbortSignal.abort(new Error('stopped'));
    const written = callBuiltin('write_file', { path: 'note.txt', content: 'new' }, { workspace, signal });
    await expect(written).rejects.toThrow('stopped');
    expect(text('note.txt')).toBe('old');
    expect(readdirSync(workspace)).toEqual(['note.txt']);
  });

  it('refuses a text that is too large in bytes', async () => {
    const content = 'ü'.repeat(3 * 1024 * 1024);
    await expect(call('write_file', { path: 'large.txt', content })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
    expect(existsSync(inside('large.txt'))).toBe(false);
  });
});

describe('append_file', () => {
  it('adds to the end, and makes a file that is missing', async () => {
    expect(await call('append_file', { path: 'logs/a.txt', content: 'one\n' })).toEqual({
      path: 'logs/a.txt',
      bytes: 4,
    });
    expect(await call('append_file', { path: 'logs/a.txt', content: 'two\n' })).toEqual({
      path: 'logs/a.txt',
      bytes: 8,
    });
    expect(text('logs/a.txt')).toBe('one\ntwo\n');
  });

  it('does not grow a file beyond its limit', async () => {
    writeFileSync(inside('large.bin'), Buffer.alloc(64 * 1024 * 1024));
    await expect(call('append_file', { path: 'large.bin', content: 'x' })).rejects.toMatchObject({
      code: 'tool_failed',
    });
  });
});

describe('delete_file', () => {
  it('deletes a file, and a link but not what it leads to', async () => {
    writeFileSync(inside('note.txt'), 'four');
    symlinkSync('note.txt', inside('link.txt'));
    await call('delete_file', { path: 'link.txt' });
    expect(readdirSync(workspace)).toEqual(['note.txt']);
    expect(await call('delete_file', { path: 'note.txt' })).toEqual({ path: 'note.txt', bytes: 4 });
    expect(readdirSync(workspace)).toEqual([]);
  });

  it.each([
    ['folder', 'tool_misuse'],
    ['.', 'tool_misuse'],
    ['not-there.txt', 'missing_info'],
  ])('does not delete %s: %s', async (path, code) => {
    mkdirSync(inside('folder'));
    await expect(call('delete_file', { path })).rejects.toMatchObject({ code });
    expect(readdirSync(workspace)).toEqual(['folder']);
  });
});

describe('list_files', () => {
  beforeEach(() => {
    mkdirSync(inside('docs/deep'), { recursive: true });
    mkdirSync(inside('.git'));
    writeFileSync(inside('.git/config'), '');
    writeFileSync(inside('a.md'), '1');
    writeFileSync(inside('docs/b.md'), '22');
    writeFileSync(inside('docs/deep/c.txt'), '333');
    symlinkSync('docs', inside('link'));
  });

  it('lists one folder in the order of the names', async () => {
    expect(await call('list_files', {})).toEqual({
      entries: [
        { path: 'a.md', kind: 'file', bytes: 1 },
        { path: 'docs', kind: 'folder' },
        { path: 'link', kind: 'link' },
      ],
      truncated: false,
    });
  });

  it('lists what is below, without following links', async () => {
    const { entries } = (await call('list_files', { recursive: true })) as { entries: { path: string }[] };
    expect(entries.map(({ path }) => path)).toEqual([
      'a.md',
      'docs',
      'docs/b.md',
      'docs/deep',
      'docs/deep/c.txt',
      'link',
    ]);
  });

  it('lists a folder by its name or a link, and what matches', async () => {
    expect(await call('list_files', { path: 'docs', glob: '*.md' })).toEqual({
      entries: [{ path: 'docs/b.md', kind: 'file', bytes: 2 }],
      truncated: false,
    });
    expect(await call('list_files', { path: 'link', glob: 'docs/**/*.txt', recursive: true })).toEqual({
      entries: [{ path: 'docs/deep/c.txt', kind: 'file', bytes: 3 }],
      truncated: false,
    });
  });

  it('says that there is more', async () => {
    expect(await call('list_files', { maxEntries: 1 })).toMatchObject({
      entries: [{ path: 'a.md' }],
      truncated: true,
    });
    expect(await call('list_files', { maxEntries: 3 })).toMatchObject({ truncated: false });
  });

  it.each([
    ['a.md', 'tool_misuse'],
    ['not-there', 'missing_info'],
  ])('does not list %s: %s', async (path, code) => {
    await expect(call('list_files', { path })).rejects.toMatchObject({ code });
  });
});

describe('search_files', () => {
  beforeEach(() => {
    mkdirSync(inside('src'));
    writeFileSync(inside('src/a.ts'), 'const one = 1;\r\nconst two = 2;\n// ONE more\n');
    writeFileSync(inside('src/b.md'), 'one\n');
    writeFileSync(inside('binary.bin'), Buffer.from([0x6f, 0x6e, 0x65, 0x00]));
    writeFileSync(inside('latin.txt'), Buffer.from([0x6f, 0x6e, 0x65, 0xe9]));
  });

  it('finds a text, whatever its case, and says where', async () => {
    expect(await call('search_files', { query: 'one' })).toEqual({
      matches: [
        { path: 'src/a.ts', line: 1, text: 'const one = 1;' },
        { path: 'src/a.ts', line: 3, text: '// ONE more' },
        { path: 'src/b.md', line: 1, text: 'one' },
      ],
      filesSearched: 2,
      filesSkipped: 2,
      truncated: false,
    });
  });

  it('tells cases apart, and keeps to files and folders', async () => {
    expect(await call('search_files', { query: 'ONE', caseSensitive: true })).toMatchObject({
      matches: [{ path: 'src/a.ts', line: 3 }],
    });
    expect(await call('search_files', { query: 'one', path: 'src', glob: '*.md' })).toMatchObject({
      matches: [{ path: 'src/b.md' }],
      filesSearched: 1,
    });
  });

  it('finds a pattern, each line once', async () => {
    expect(
      await call('search_files', { query: '^const (\\w+).*;', regex: true, glob: '*.ts' }),
    ).toMatchObject({
      matches: [{ line: 1 }, { line: 2 }],
    });
    expect(await call('search_files', { query: 'o', regex: true, glob: '*.ts' })).toMatchObject({
      matches: [{ line: 1 }, { line: 2 }, { line: 3 }],
    });
  });

  it('says that there is more', async () => {
    expect(await call('search_files', { query: 'one', maxMatches: 2 })).toMatchObject({ truncated: true });
    expect(await call('search_files', { query: 'one', maxMatches: 3 })).toMatchObject({ truncated: false });
  });

  it('does not read what a link leads to', async () => {
    symlinkSync(inside('src/b.md'), inside('link.md'));
    expect(await call('search_files', { query: 'one', glob: 'link.md' })).toMatchObject({ filesSearched: 0 });
  });

  it('ends a pattern that would never end', async () => {
    writeFileSync(inside('src/long.txt'), `${'a'.repeat(40)}!`);
    await expect(
      call('search_files', { query: '^(a+)+$', regex: true, glob: 'long.txt' }),
    ).rejects.toMatchObject({
      code: 'tool_misuse',
    });
  });

  it('refuses what is no pattern', async () => {
    await expect(call('search_files', { query: '(', regex: true })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
  });
});
