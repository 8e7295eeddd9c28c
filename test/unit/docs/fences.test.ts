import { describe, expect, it } from 'vitest';
import { readFences, replaceFences, withoutCode } from '../../../scripts/docs/fences.mjs';

const PAGE = `# Title

\`\`\`ts tools.ts
const a = 1;
\`\`\`

Text with \`[code](nowhere)\`.

\`\`\`\`md
\`\`\`sh
npm ci
\`\`\`
\`\`\`\`
`;

describe('the fenced blocks of a page', () => {
  it('have a language, a file name, a line and their text', () => {
    expect(readFences(PAGE)).toMatchObject([
      { language: 'ts', name: 'tools.ts', text: 'const a = 1;\n', line: 3 },
      { language: 'md', name: '', text: '```sh\nnpm ci\n```\n', line: 9 },
    ]);
  });

  it('can be replaced', () => {
    const [first, second] = readFences(PAGE);
    const texts = new Map([
      [second!, ''],
      [first!, 'let b;\nlet c;\n'],
    ]);
    expect(replaceFences(PAGE, texts)).toBe(
      PAGE.replace('const a = 1;', 'let b;\nlet c;').replace('```sh\nnpm ci\n```\n', ''),
    );
  });

  it('are blanked line by line where prose is read', () => {
    const prose = withoutCode(PAGE);
    expect(prose.split('\n')).toHaveLength(PAGE.split('\n').length);
    expect(prose).not.toMatch(/npm|nowhere|const/);
  });

  it('must be closed', () => {
    expect(() => readFences('```ts\nconst a = 1;\n')).toThrow('the block of line 1 is not closed');
  });
});
