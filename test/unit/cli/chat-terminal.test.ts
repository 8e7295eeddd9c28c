/* A conversation in a terminal: bytes go through an emulator, and its screen is looked at. */
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openTerminalScreen } from '../../../src/cli/chat/terminal-screen.ts';
import { PLAIN_STYLE } from '../../../src/views/style.ts';
import { openTerminal } from '../../support/virtual-terminal.ts';

function open() {
  const terminal = openTerminal(40, 12);
  const stdin = new PassThrough();
  const heard: string[] = [];
  const stdout = Object.assign(terminal.stream, { removeListener: () => stdout });
  const screen = openTerminalScreen(
    { stdin, stdout, env: {}, style: PLAIN_STYLE },
    {
      onLine: (line) => heard.push(line),
      onInterrupt: () => heard.push('<interrupt>'),
      onEnd: () => heard.push('<end>'),
    },
  );
  const shown = async (): Promise<string[]> => {
    const rows = (await terminal.history()).map((row) => row.trimEnd());
    while (rows.at(-1) === '') rows.pop();
    return rows;
  };
  return { screen, stdin, heard, shown };
}

it('keeps what is being written below what is being answered', async () => {
  const { screen, stdin, heard, shown } = open();
  stdin.write('first message');
  screen.note('a note');
  expect(await shown()).toEqual(['a note', '> first message']);
  stdin.write('\r');
  await delay(60);
  expect(heard).toEqual(['first message']);
  screen.status('thinking');
  stdin.write('half');
  expect(await shown()).toEqual([
    'a note',
    '> first message',
    expect.stringMatching(/^. thinking$/),
    '> half',
  ]);
  screen.delta('An answer that is longer than the terminal is wi');
  screen.delta('de.\n- one\n');
  screen.delta('- two');
  expect(await shown()).toEqual([
    ...[
      'a note',
      '> first message',
      'An answer that is longer than the',
      'terminal is wide.',
      '- one',
      '- two',
    ],
    '> half',
  ]);
  screen.endAnswer();
  screen.prompt('y, n:');
  expect((await shown()).at(-1)).toBe('y, n: half');
  screen.close();
  expect((await shown()).at(-1)).toBe('- two');
});

it('takes lines that come at once as one message, and leaves a long one whole', async () => {
  const { screen, stdin, heard, shown } = open();
  stdin.write('one\rtwo\rthree\r');
  await delay(80);
  const long = 'a message that does not fit into one row of this terminal at all';
  for (const character of long) stdin.write(character);
  await delay(20);
  screen.note('beside it');
  stdin.write('\r');
  await delay(80);
  expect(heard).toEqual(['one\ntwo\nthree', long]);
  const text = (await shown()).join('\n');
  expect(text.replaceAll('\n', '')).toContain(long);
  expect(text.match(/beside it/g)).toHaveLength(1);
  expect(text.match(/a message/g)).toHaveLength(1);
  screen.close();
});

it('clears a half written line with the first Ctrl-C, and shows what steers a terminal as text', async () => {
  const { screen, stdin, heard, shown } = open();
  stdin.write('half');
  stdin.write('\u0003');
  await delay(20);
  expect(heard).toEqual([]);
  stdin.write('\u0003');
  await delay(20);
  expect(heard).toEqual(['<interrupt>']);
  screen.answer('red \u001b[31m and \u202Eturned');
  expect((await shown()).join(' ')).toContain('red ⟨U+001B⟩[31m');
  stdin.write('\u0004');
  await delay(20);
  expect(heard).toEqual(['<interrupt>', '<end>']);
  screen.close();
});
