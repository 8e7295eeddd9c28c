/* A conversation in a real terminal: what is typed goes through a pseudo-terminal, and the screen is looked at. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CHAT_TASK, notesIn } from '../support/chat-command.ts';
import { missingTerminal, startInTerminal, type Terminal } from '../support/pseudo-terminal.ts';
import { runCommand, temporaryFolder } from './command.ts';

const missing = missingTerminal();
if (missing !== null) console.warn(missing);

const root = temporaryFolder();
const open: Terminal[] = [];
let made = 0;

function freshFolder(): string {
  const folder = join(root, String(++made));
  mkdirSync(folder);
  return folder;
}

async function chatIn(folder: string, ...args: string[]): Promise<Terminal> {
  const terminal = startInTerminal(folder, ['chat', ...args]);
  open.push(terminal);
  await terminal.sees('session ');
  return terminal;
}

/** A person reads a question before they answer it. */
const READING_MS = 300;

async function answer(terminal: Terminal, text: string): Promise<void> {
  await delay(READING_MS);
  terminal.type(`${text}\r`);
}

afterEach(() => {
  for (const terminal of open.splice(0)) terminal.kill();
});

describe.skipIf(missing !== null)('orchestrate chat in a terminal', () => {
  it('answers, asks about calls, takes y -N and what is said instead, and leaves at Ctrl-D', async () => {
    const folder = freshFolder();
    const terminal = await chatIn(folder, CHAT_TASK);
    terminal.type('say hello\r');
    await terminal.sees('You said hello; message 1.');
    terminal.type('write 4\r');
    await terminal.sees('It wants to make this call that writes: write_note {"text":"note 1"}');
    await terminal.sees('y, y -N, n, or what to do instead:');
    await answer(terminal, 'y -1');
    await terminal.sees('write_note {"text":"note 3"}');
    expect(notesIn(folder)).toEqual(['note 1', 'note 2']);
    await answer(terminal, 'n');
    await terminal.sees('this call that writes: write_note {"text":"note 4"}');
    await answer(terminal, 'use the blue book');
    await terminal.sees('says: use the blue book');
    await terminal.sees('message', 1);
    terminal.type('\u0004');
    expect(await terminal.ended).toBe(0);
    const rows = await terminal.rows();
    expect(rows.at(-1)).toMatch(/^session \S+; next: orchestrate chat --resume \S+$/);
    expect(rows.filter((row) => row === '> say hello')).toHaveLength(1);
    expect(rows.join('\n')).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(notesIn(folder)).toEqual(['note 1', 'note 2']);
    const replayed = await runCommand(folder, ['replay', 'last', '--strict']);
    expect(replayed.stdout).toContain('same');
  });

  it('is interrupted by /stop, by Ctrl-C and by a new message; Ctrl-C twice leaves where nothing goes on', async () => {
    const terminal = await chatIn(freshFolder(), CHAT_TASK);
    const interrupted = 'interrupted; what was half said is not kept';
    terminal.type('slow one\r');
    await terminal.sees('thinking');
    terminal.type('/stop\r');
    await terminal.sees(interrupted);
    terminal.type('slow two\r');
    await terminal.sees('thinking');
    terminal.type('half a line\u0003');
    await delay(100);
    terminal.type('\u0003');
    await terminal.sees(interrupted, 2);
    terminal.type('slow three\r');
    await terminal.sees('thinking');
    terminal.type('say instead\r');
    await terminal.sees(interrupted, 3);
    await terminal.sees('You said instead');
    terminal.type('\u0003');
    await terminal.sees('Ctrl-C once more leaves; the session is kept.');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
    expect((await terminal.rows()).join('\n')).not.toContain('At last');
  });

  it('takes lines that are pasted as one message, and changes sessions by /new and /resume', async () => {
    const folder = freshFolder();
    const terminal = await chatIn(folder, CHAT_TASK);
    const first = /session (\S+);/.exec((await terminal.rows()).join('\n'))?.[1] ?? '';
    terminal.type(`${Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\r')}\rsay pasted\r`);
    await terminal.sees('You said pasted; message 1.');
    terminal.type('/new\r');
    await terminal.sees('session ', 2);
    terminal.type('say second\r');
    await terminal.sees('You said second; message 1.');
    terminal.type('/resume\r');
    await terminal.sees(first, 2);
    terminal.type(`/resume ${first}\r`);
    await terminal.sees(`going on with session ${first}: 1 exchange`);
    terminal.type('say third\r');
    await terminal.sees('You said third; message 2.');
    terminal.type('/exit\r');
    expect(await terminal.ended).toBe(0);
    const shown = await runCommand(folder, ['sessions', 'show', first]);
    expect(shown.stdout).toContain('line 0');
    expect(shown.stdout).toContain('> say third');
  });
});
