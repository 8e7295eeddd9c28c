import { describe, expect, it } from 'vitest';
import { renderTable } from '../../../src/views/table.ts';
import { cutToWidth, padToWidth, textWidth, toOneLine } from '../../../src/views/text-width.ts';

describe('renderTable', () => {
  const columns = [
    { title: 'name', giveWay: 2, minWidth: 5 },
    { title: 'n', align: 'right' as const },
    { title: 'note', giveWay: 1 },
  ];

  it('aligns by the columns that a text takes', () => {
    expect(
      renderTable(columns, [
        ['東京', '7', 'x'],
        ['Zürich', '12', ''],
      ]),
    ).toEqual(['name     n  note', '東京     7  x', 'Zürich  12']);
  });

  it('cuts the columns that give way, the first of them first', () => {
    const rows = [['a long name', '1', 'a long note']];
    expect(renderTable(columns, rows, { width: 22 })).toEqual(['name    n  note', 'a lon…  1  a long note']);
    expect(renderTable(columns, rows, { width: 16, isAscii: true })).toEqual([
      'name   n  note',
      'a lo~  1  a lon~',
    ]);
  });

  it('paints cells after they are measured', () => {
    const paint = (shown: string, cell: string) => (cell === 'bad' ? `<${shown}>` : shown);
    expect(
      renderTable(
        [{ title: 'state', paint }, { title: 'x' }],
        [
          ['bad', '1'],
          ['good', '2'],
        ],
      ),
    ).toEqual(['state  x', '<bad  >  1', 'good   2']);
  });
});

describe('text on a terminal', () => {
  it.each([
    ['abc', 3],
    ['東京', 4],
    ['e\u0301', 1],
    ['🚀', 2],
    ['a\u200bb', 2],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('is cut between characters and filled up with spaces', () => {
    expect(cutToWidth('東京都庁', 5)).toBe('東京…');
    expect(cutToWidth('東京都庁', 4)).toBe('東…');
    expect(cutToWidth('abc', 3)).toBe('abc');
    expect(cutToWidth('abc', 0)).toBe('');
    expect(padToWidth('東', 4)).toBe('東  ');
    expect(padToWidth('7', 3, 'right')).toBe('  7');
  });

  it('keeps to one line and one direction', () => {
    expect(toOneLine('a\r\n\tb\u001b[31mc\u2028d\u202ee')).toBe('a b [31mc d e');
  });
});
