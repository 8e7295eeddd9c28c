/*
 * Conversations whose process is killed for good: in the middle of a model call, while a person is asked, and between two
 * calls. Whoever goes on with the session finds all that was said, and no consented call is lost or made twice.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../cli/command.ts';
import { chat, CHAT_TASK, notesIn, sessionOf, startChat } from '../support/chat-command.ts';

const root = temporaryFolder();

function folderOf(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
}

async function expectWhole(folder: string, session: string): Promise<void> {
  const replayed = await runCommand(folder, ['replay', session, '--strict']);
  expect(replayed.stdout).toContain('same');
  const verified = await runCommand(folder, ['verify-log', session]);
  expect(verified.exitCode).toBe(0);
}

describe('a conversation whose process is killed', () => {
  it('in a model call asks the model again, with everything that was said before', async () => {
    const folder = folderOf('model');
    const talk = startChat(folder, CHAT_TASK);
    talk.say('say one');
    await talk.sees('message 1.');
    talk.say('slow answer');
    await delay(800);
    expect((await talk.kill('SIGKILL')).stdout).toBe('You said one; message 1.\n');
    const resumed = await chat(folder, ['--resume'], 'say two');
    expect(resumed.stderr).toContain('and with what was under way: slow answer');
    expect(resumed.stdout).toBe('At last: answer\nYou said two; message 3.\n');
    await expectWhole(folder, sessionOf(resumed));
  });

  it('while a person is asked asks again, and makes the call once', async () => {
    const folder = folderOf('question');
    const talk = startChat(folder, CHAT_TASK);
    talk.say('write 2', 'y');
    await talk.sees('write_note {"text":"note 2"}\n');
    await delay(200);
    await talk.kill('SIGKILL');
    expect(notesIn(folder)).toEqual(['note 1']);
    const resumed = await chat(folder, ['--resume'], 'y');
    expect(resumed.stdout).toBe('Done: wrote note 1; wrote note 2\n');
    expect(notesIn(folder)).toEqual(['note 1', 'note 2']);
    await expectWhole(folder, sessionOf(resumed));
  });

  it('at any time of a turn with many calls never makes a call twice without a word', async () => {
    for (const [index, text] of ['→ write_note {"text":"note 2"}', '✓ write_note', 'note 3'].entries()) {
      const folder = folderOf(`calls-${String(index)}`);
      const talk = startChat(folder, CHAT_TASK, '--continuous');
      talk.say('write 3');
      await talk.sees(text);
      await talk.kill('SIGKILL');
      const resumed = await chat(folder, ['--resume', '--continuous']);
      expect(resumed.exitCode).toBe(0);
      const notes = notesIn(folder);
      // One whose outcome was lost is told to the model, which is not to make it again by itself; none is there twice.
      expect(new Set(notes).size).toBe(notes.length);
      expect(resumed.stdout).toMatch(/^Done: /);
      await expectWhole(folder, sessionOf(resumed));
    }
  });
});
