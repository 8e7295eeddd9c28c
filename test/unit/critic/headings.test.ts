import { describe, expect, it } from 'vitest';
import { headingsOf } from '../../../src/critic/headings.ts';

describe('headingsOf', () => {
  it('knows ATX, underlined and bold headings', () => {
    const text =
      '# One\n\nTwo\n===\n\nThree\n---\n\n**Four**\n\n__Five__:\n\n**Six:**\n\n   ###### Seven\r\n####\r\n';
    expect(headingsOf(text)).toEqual(['One', 'Two', 'Three', 'Four', 'Five', 'Six:', 'Seven', '']);
  });

  it.each([
    ['code', '```\n# One\n```'],
    ['code in a fence that stays open', '~~~~\n# One\n~~~\n# Two'],
    ['a hashtag', '#One'],
    ['a line after a blank', '\n---\n'],
    ['a list before a rule', '- One\n---'],
    ['a table', '| One |\n---'],
    ['a bold word in a line', '**One** is not **Two**'],
    ['an indented code line', '    # One'],
    ['plain text', 'One\nTwo'],
  ])('takes no heading from %s', (_, text) => {
    expect(headingsOf(text)).toEqual([]);
  });
});
