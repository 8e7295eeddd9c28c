import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChatLine } from '../../../src/cli/chat/chat-commands.ts';
import { wrapText } from '../../../src/cli/chat/wrap-text.ts';
import { textWidth } from '../../../src/views/text-width.ts';

describe('a line of a chat', () => {
  it.each([
    ['', { kind: 'nothing' }],
    ['  ', { kind: 'nothing' }],
    ['hello /stop', { kind: 'message', text: 'hello /stop' }],
    [' /etc/hosts: what is it?', { kind: 'message', text: '/etc/hosts: what is it?' }],
    ['/etc/hosts', { kind: 'message', text: '/etc/hosts' }],
    ['/stop', { kind: 'command', name: 'stop', rest: '' }],
    ['/resume  20261130 ', { kind: 'command', name: 'resume', rest: '20261130' }],
    ['/quit', { kind: 'command', name: 'exit', rest: '' }],
  ])('%j', (line, expected) => {
    expect(readChatLine(line)).toEqual(expected);
  });

  it('says what a mistyped command may have been', () => {
    expect(readChatLine('/stpo')).toMatchObject({
      kind: 'unknown',
      text: expect.stringContaining('/stop') as string,
    });
    expect(readChatLine('/constructor')).toMatchObject({ kind: 'unknown' });
  });
});

describe('text that is wrapped', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '東', '🏙', 'é'), maxLength: 60 });

  it('loses nothing but the spaces that it is broken at, and fits', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (given, columns) => {
        const { full, rest } = wrapText(given, columns);
        for (const line of [...full, rest]) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        const bare = (part: string): string => part.replaceAll(/[ \n]/g, '');
        expect(bare([...full, rest].join(''))).toBe(bare(given));
        expect(full.length).toBeGreaterThanOrEqual(given.split('\n').length - 1);
      }),
    );
  });
});
