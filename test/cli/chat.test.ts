import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chat, CHAT_TASK, notesIn, sessionOf, startChat } from '../support/chat-command.ts';
import { runCommand, temporaryFolder } from './command.ts';

const root = temporaryFolder();
let made = 0;

/** A folder that no other test talks in. */
function freshFolder(): string {
  const folder = join(root, String(++made));
  mkdirSync(folder);
  return folder;
}

describe('orchestrate chat, line by line', () => {
  it('answers each line in turn, asks about calls, and tells the model what is said instead of y', async () => {
    const folder = freshFolder();
    const ending = await chat(
      folder,
      [CHAT_TASK],
      'say hello',
      '',
      'write 2',
      'y',
      'use the blue book',
      'say bye',
    );
    expect(ending.stdout.split('\n')).toEqual([
      'You said hello; message 1.',
      expect.stringMatching(
        /^Done: wrote note 1; \[error policy_denied\] .*says: use the blue book\. It was not made$/,
      ) as string,
      'You said bye; message 3.',
      '',
    ]);
    expect(ending.stderr).toContain('thought: I write it down.');
    expect(ending.stderr).toContain('It wants to make this call that writes: write_note {"text":"note 1"}');
    expect(ending.stderr).toMatch(/✓ write_note \(.*\) wrote note 1/);
    expect(ending.exitCode).toBe(0);
    expect(notesIn(folder)).toEqual(['note 1']);
    const replayed = await runCommand(folder, ['replay', sessionOf(ending), '--strict']);
    expect(replayed.stdout).toContain('same');
  });

  it('allows the next calls with y -N, and with --continuous so many as it says', async () => {
    const folder = freshFolder();
    const asked = /It wants to make/g;
    const next = await chat(folder, [CHAT_TASK], 'write 4', 'y -1', 'y', 'y -9');
    expect(next.stdout).toContain('Done: wrote note 1; wrote note 2; wrote note 3; wrote note 4');
    // The first with the second, the third, the fourth.
    expect(next.stderr.match(asked)).toHaveLength(3);
    const continuous = await chat(folder, [CHAT_TASK, '--continuous=2'], 'write 3', 'n');
    expect(continuous.stderr.match(asked)).toHaveLength(1);
    expect(continuous.stdout).toContain('wrote note 2; [error policy_denied]');
    expect((await chat(folder, [CHAT_TASK, '--continuous=2000'])).exitCode).toBe(2);
  });

  it('shows the thoughts of a model that answers with commands, and asks the person back', async () => {
    const folder = freshFolder();
    const ending = await chat(folder, [CHAT_TASK], 'think', 'y', 'choose', '2');
    for (const text of [
      'thought: a thought',
      'reasoning: a reason',
      'speak: Soon.',
      'Which colour?',
      '  2 blue',
    ])
      expect(ending.stderr).toContain(text);
    expect(ending.stdout).toContain('Thought.');
    // Its answer is no call to be told of.
    expect(ending.stderr).not.toContain('finish');
    expect(ending.stdout).toContain('blue');
    expect(ending.stdout).not.toContain('red');
    expect(notesIn(folder)).toEqual(['thought']);
  });

  it('prints one line of JSON for each answer', async () => {
    const { stdout } = await chat(freshFolder(), [CHAT_TASK, '--json'], 'say one', 'say two');
    const replies = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(replies).toMatchObject([
      { exchange: 'chat/1', status: 'completed', answer: 'You said one; message 1.', usage: { llmCalls: 1 } },
      { exchange: 'chat/2', status: 'completed', answer: 'You said two; message 2.' },
    ]);
  });

  it('leaves with 5 where a person is to be asked and nobody is there, and goes on where somebody is', async () => {
    const folder = freshFolder();
    const waiting = await chat(folder, [CHAT_TASK, '--json'], 'write 1');
    expect(waiting.exitCode).toBe(5);
    expect(JSON.parse(waiting.stdout)).toMatchObject({ status: 'waiting', answer: '' });
    expect(notesIn(folder)).toEqual([]);
    const resumed = await chat(folder, ['--resume', sessionOf(waiting)], 'y', 'say more');
    expect(resumed.stderr).toContain('and with what was under way: write 1');
    expect(resumed.stdout).toBe('Done: wrote note 1\nYou said more; message 2.\n');
    expect(notesIn(folder)).toEqual(['note 1']);
  });
});

describe('a budget that is used up', () => {
  it('ends the exchange with what it has and with 4; a larger one goes on', async () => {
    const folder = freshFolder();
    // No task at all: the provider is named.
    copyFileSync(join(CHAT_TASK, '..', 'mock.ts'), join(folder, 'mock.ts'));
    const spent = await chat(folder, ['--provider=./mock.ts', '--budget.llmCalls=2'], 'say one', 'say two');
    expect(spent.stdout).toBe('You said one; message 1.\nWhat was found so far.\n');
    expect(spent.stderr).toContain('its budget is used up');
    expect(spent.exitCode).toBe(4);
    const more = await chat(folder, ['--resume', '--budget.llmCalls=9'], 'say three');
    expect(more.stdout).toBe('You said three; message 3.\n');
    const other = await chat(folder, ['--resume', '--policy.approve=none'], 'say four');
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('a recorded run keeps its task'),
    ]);
  });
});

describe('an interruption', () => {
  it('by /stop ends the call under way; what was half said is not kept', async () => {
    const talk = startChat(freshFolder(), CHAT_TASK);
    talk.say('slow answer', '/stop');
    await talk.sees('interrupted; what was half said is not kept');
    const ending = await talk.end('recall all');
    expect(ending.stdout).not.toContain('At last');
    expect(ending.stdout).toContain('slow answer');
    expect(ending.exitCode).toBe(0);
  });

  it('by Ctrl-C ends the call under way and then the conversation, with 130; the session goes on', async () => {
    const folder = freshFolder();
    const talk = startChat(folder, CHAT_TASK);
    talk.say('say first');
    await talk.sees('message 1.');
    const startedAt = Date.now();
    talk.say('slow answer');
    await new Promise((resolve) => setTimeout(resolve, 500));
    const ending = await talk.kill('SIGINT');
    expect(Date.now() - startedAt).toBeLessThan(3800);
    expect(ending.exitCode).toBe(130);
    const resumed = await chat(folder, ['--resume', '--message', 'say again']);
    expect(resumed.stdout).toBe('You said again; message 2.\n');
    const session = sessionOf(resumed);
    const asRun = await runCommand(folder, ['resume', session]);
    expect([asRun.exitCode, asRun.stderr]).toEqual([
      2,
      `error: ${session} is a session with an agent\n\`orchestrate chat --resume ${session}\` goes on with it.\n`,
    ]);
    for (const command of ['show', 'why']) {
      const { stdout } = await runCommand(folder, [command, session]);
      expect(stdout).toContain(`Next: orchestrate chat --resume ${session}`);
    }
  });

  it('by /resume and /new changes the session', async () => {
    const folder = freshFolder();
    const first = sessionOf(await chat(folder, [CHAT_TASK], 'say one'));
    const ending = await chat(
      folder,
      [CHAT_TASK],
      ...[
        'say two',
        '/resume',
        `/resume ${first}`,
        'say three',
        '/new',
        'say four',
        '/resume none',
        '/resme',
        '/exit',
        'x',
      ],
    );
    expect(ending.stdout).toBe(
      'You said two; message 1.\nYou said three; message 2.\nYou said four; message 1.\n',
    );
    expect(ending.stderr).toMatch(new RegExp(`^ {2}${first} .* 1 exchange {2}say one$`, 'm'));
    expect(ending.stderr).toContain('there is no session "none"');
    expect(ending.stderr).toContain('did you mean /resume?');
  });
});

describe('orchestrate sessions', () => {
  it('finds earlier sessions for a person and for the agent; the index can be lost', async () => {
    const folder = freshFolder();
    const first = sessionOf(await chat(folder, [CHAT_TASK], 'say the harbour opens at nine'));
    const found = await chat(folder, [CHAT_TASK], 'find harbour', 'say zebra');
    expect(found.stdout).toContain(first);
    expect(found.stdout).toContain('the harbour opens at nine');

    const index = join(folder, '.orchestrate', 'sessions.db');
    const search = async (): Promise<object[]> =>
      JSON.parse(
        (await runCommand(folder, ['sessions', 'search', 'opens harb', '--json'])).stdout,
      ) as object[];
    const hits = await search();
    expect(hits).toMatchObject([
      { session: first, exchange: 'chat/1', role: 'user' },
      { session: first, role: 'assistant' },
      // The agent's answer quoted it.
      { session: sessionOf(found), role: 'assistant' },
    ]);
    writeFileSync(index, 'no database');
    expect(await search()).toEqual(hits);
    const rebuilt = await runCommand(folder, ['sessions', 'rebuild']);
    expect(rebuilt.stdout).toContain('2 sessions from the logs');
    expect(existsSync(index)).toBe(true);

    const listed = await runCommand(folder, ['sessions', 'list']);
    expect(listed.stdout.split('\n')[1]).toMatch(
      new RegExp(`^${sessionOf(found)} .* 2 +idle +notes +say zebra$`),
    );
    const nothing = await runCommand(folder, ['sessions', 'search', 'giraffe']);
    expect(nothing.stdout).toBe('nothing like it in 2 sessions\n');
  });

  it('shows and exports what was said with the calls, credentials redacted', async () => {
    const folder = freshFolder();
    const key = `sk-${'a1B2'.repeat(8)}`;
    await chat(folder, [CHAT_TASK], `say ${key}`, 'write 1', 'y');
    const shown = await runCommand(folder, ['sessions', 'show']);
    expect(shown.stdout).toContain(
      '> write 1\n  → write_note {"text":"note 1"} ⇒ wrote note 1\nDone: wrote note 1',
    );
    const exported = await runCommand(folder, ['sessions', 'export', 'last']);
    expect(exported.stdout).toContain('## write 1');
    expect(exported.stdout).toContain('- `write_note {"text":"note 1"}`: `wrote note 1`');
    expect(exported.stdout).not.toContain(key);
    const out = join(folder, 'session.json');
    await runCommand(folder, ['sessions', 'export', '--json', '--out', out]);
    expect(readdirSync(folder)).toContain('session.json');
    const asJson = await runCommand(folder, ['sessions', 'export', '--json']);
    const { exchanges } = JSON.parse(asJson.stdout) as { exchanges: { messages: { role: string }[] }[] };
    expect(exchanges.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user', 'assistant'],
      ['user', 'assistant', 'tool', 'assistant'],
    ]);
  });

  it('remembers exchanges across sessions, with what the person said in between', async () => {
    const folder = freshFolder();
    await chat(folder, [CHAT_TASK], 'write 1', 'take the green pen');
    const { stdout } = await chat(folder, [CHAT_TASK, '--continuous'], 'recall how to write 1 note');
    expect(stdout).toContain('The person said: take the green pen');
  });

  it('says what is wrong where there is nothing to go on with', async () => {
    const folder = freshFolder();
    const endings = [
      ['--resume'],
      ['--resume', 'nope'],
      ['--resume=a', 'b'],
      [],
      [join(folder, 'none.yaml')],
    ].map((args) => chat(folder, args));
    const errors = (await Promise.all(endings)).map(({ exitCode, stderr }) => [
      exitCode,
      stderr.split('\n')[0],
    ]);
    expect(errors).toEqual([
      [2, 'error: there is no session yet'],
      [2, 'error: there is no session yet'],
      [2, 'error: --resume=a and "b": one session can be gone on with'],
      [2, 'error: there is no task.yaml here, and nothing says which model to ask'],
      [2, expect.stringContaining('none.yaml')],
    ]);
  });
});
