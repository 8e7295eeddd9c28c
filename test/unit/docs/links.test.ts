import { describe, expect, it } from 'vitest';
import { linkProblems } from '../../../scripts/docs/links.mjs';

function problems(pages: Record<string, string>, files: readonly string[] = []): string[] {
  return linkProblems(new Map(Object.entries(pages)), (path) => files.includes(path));
}

describe('links between pages', () => {
  it('may lead to pages, their headings, set anchors, files and the web', () => {
    const found = problems(
      {
        'README.md':
          '[a](docs/README.md#the-run-command) [b](LICENSE) [c](https://example.org/#x) [d](#here)\n\n# Here',
        'docs/README.md': '# The `run` command\n\n[e](deep/page.md#code) `[f](nowhere.md)`',
        'docs/deep/page.md': '<a id="code"></a>\n\n```md\n[g](nowhere.md)\n```\n\n[h](../../README.md)',
      },
      ['LICENSE'],
    );
    expect(found).toEqual([]);
  });

  it('are named with their line where they lead nowhere', () => {
    const pages = {
      'README.md': 'x\n[a](docs/gone.md)\n[b](docs/README.md#gone)',
      'docs/README.md': '# Here',
    };
    expect(problems(pages)).toEqual([
      'README.md:2: there is no docs/gone.md',
      'README.md:3: docs/README.md has no heading #gone',
    ]);
  });

  it('must lead to every page of docs/', () => {
    const pages = { 'docs/README.md': '', 'docs/lost.md': '[itself](lost.md)' };
    expect(problems(pages)).toEqual(['docs/lost.md: no page of docs/ links here']);
  });
});
