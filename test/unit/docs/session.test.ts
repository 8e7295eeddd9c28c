import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSteps, refreshSession } from '../../../scripts/docs/session.mjs';

const root = join(import.meta.dirname, '../../..');
const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\`\`\`\n`;

describe('a page as a session', () => {
  const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('sortie-docs-'));

  it('runs its commands in one folder with its files, and shows what they print', async () => {
    const before = folders();
    const page =
      block('txt notes/a.txt', 'one\n') +
      block('console', '$ cat notes/a.txt\n$ pwd\n$ false\n$ echo $?\nstale\n') +
      block('txt notes/a.txt', 'two\n') +
      block('console', '$ cat notes/a.txt >&2\n');
    expect(await refreshSession(page, root)).toBe(
      block('txt notes/a.txt', 'one\n') +
        block('console', '$ cat notes/a.txt\none\n$ pwd\n~/tasks\n$ false\n$ echo $?\n1\n') +
        block('txt notes/a.txt', 'two\n') +
        block('console', '$ cat notes/a.txt >&2\ntwo\n'),
    );
    expect(folders().filter((name) => !before.includes(name))).toEqual([]);
  });

  it('keeps an output that differs in times alone', async () => {
    const page = block('console', '$ echo took 12 ms\ntook 11 ms\n');
    expect(await refreshSession(page, root)).toBe(page);
  });

  it('leaves a page without commands alone', async () => {
    expect(await refreshSession(block('sh', 'exit 1\n'), root)).toBe(block('sh', 'exit 1\n'));
  });

  it('refuses a console block that does not begin with a command', () => {
    expect(() => readSteps('hello\n')).toThrow('begins with a command');
  });

  it('refuses an output that names where the repository lies', async () => {
    await expect(refreshSession(block('console', '$ readlink -f test\n'), root)).rejects.toThrow('names');
  });
});
