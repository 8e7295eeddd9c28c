/* Whose turn it is in a conversation at a terminal, where a line may come at any time. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ChatLoop, type ChatWorld } from '../../../src/cli/chat/chat-loop.ts';
import { ChatQuestions } from '../../../src/cli/chat/chat-questions.ts';
import type { ApprovalQuestion, AgentReply, AgentSession } from '../../../src/index.ts';

function replyOf(answer: string, status: AgentReply['status'] = 'completed'): AgentReply {
  return {
    ...{ answer, status, reason: status, messages: [] },
    usage: { inputTokens: 0, outputTokens: 0, llmCalls: 0, toolCalls: 0, costUsd: 0 },
    metadata: { session: 's', folder: null, exchange: 'chat/1', rounds: 1, elapsedMs: 0 },
  };
}

/** A conversation with sessions that answer when they are told to. */
function converse(isPatient = false) {
  const seen: string[] = [];
  const pending: ((reply: AgentReply) => void)[] = [];
  const questions = new ChatQuestions(() => loop.onQuestion());
  const interrupt = (by: string): Promise<void> => {
    seen.push(`interrupt ${by}`);
    for (const resolve of pending.splice(0)) resolve(replyOf('', 'aborted'));
    return Promise.resolve();
  };
  const open = (name: string | null): Promise<AgentSession> => {
    if (name === 'none') return Promise.reject(new Error('there is no session "none"'));
    const session = {
      pending: null,
      interrupt,
      run: async ({ message }: { message: string }) => {
        if (pending.length > 0) await interrupt('message');
        seen.push(`run ${message}`);
        return new Promise<AgentReply>((resolve) => pending.push(resolve));
      },
      close: () => {
        seen.push(`close ${name ?? 'new'}`);
        for (const resolve of pending.splice(0)) resolve(replyOf('', 'aborted'));
        return Promise.resolve();
      },
    };
    return Promise.resolve(session as unknown as AgentSession);
  };
  const world: ChatWorld = {
    ...{ questions, isPatient, open },
    screen: {
      ...{ isStreaming: true, columns: 80 },
      ...{ delta: () => undefined, endAnswer: () => undefined, answer: () => undefined },
      ...{ status: () => undefined, close: () => undefined },
      note: (text) => seen.push(`note ${text}`),
      prompt: (text) => seen.push(`prompt ${text}`),
    },
    list: () => Promise.resolve(['one other']),
    onSend: () => undefined,
    show: ({ status, answer }) => seen.push(`${status} ${answer}`),
  };
  const loop = new ChatLoop(world);
  const ended = loop.run(null);
  const answer = async (text: string): Promise<void> => {
    pending.shift()?.(replyOf(text));
    await delay(0);
  };
  const say = async (...lines: string[]): Promise<void> => {
    for (const line of lines) {
      loop.onLine(line);
      await delay(0);
    }
  };
  return { loop, ended, seen, answer, say, questions };
}

function question(node = 'chat/1/2', signal = new AbortController().signal): ApprovalQuestion {
  return { node, tool: 'write', args: {}, question: 'consent', effect: 'write', signal };
}

describe('a conversation at a terminal', () => {
  it('lets a message interrupt what goes on', async () => {
    const { loop, ended, seen, answer, say } = converse();
    await say('one', 'two');
    await answer('Two.');
    loop.onEnd();
    expect(await ended).toBe(0);
    expect(seen).toEqual([
      ...['run one', 'interrupt message', 'run two', 'aborted ', 'completed Two.', 'close new'],
    ]);
  });

  it('stops with Ctrl-C, and leaves with another one when nothing goes on', async () => {
    const { loop, ended, seen, say } = converse();
    await say('one');
    loop.onInterrupt();
    await delay(0);
    expect(seen.slice(1)).toEqual(['interrupt signal', 'aborted ']);
    loop.onInterrupt();
    expect(seen.at(-1)).toContain('once more');
    await say('two', '/stop');
    loop.onInterrupt();
    loop.onInterrupt();
    expect(await ended).toBe(0);
  });

  it('leaves what goes on open at /exit', async () => {
    const { ended, seen, say } = converse();
    await say('one', '/exit');
    expect(await ended).toBe(0);
    expect(seen).toEqual(['run one', 'close new', 'waiting ']);
  });

  it('keeps its session where another cannot be opened, and what goes on with it', async () => {
    const { ended, seen, answer, say } = converse();
    await say('one', '/resume none');
    await answer('One.');
    await say('/resume other', 'two');
    await say('/exit');
    await ended;
    expect(seen).toEqual([
      ...['run one', 'note there is no session "none"', 'completed One.'],
      ...['close new', 'run two', 'close other', 'waiting '],
    ]);
  });

  it('takes a line for the answer of the question that is put, unless it came too soon to be one', async () => {
    const { ended, seen, say, questions } = converse();
    await say('one');
    const answers: string[] = [];
    const aborting = new AbortController();
    void questions.authorise(question()).then((text) => answers.push(text));
    void questions.authorise(question('chat/1/3/1', aborting.signal)).then((text) => answers.push(text));
    await say('y');
    expect(answers).toEqual([]);
    expect(seen.at(-1)).toContain('before the question');
    await delay(200);
    await say('', '/help', 'y -2');
    expect(answers).toEqual(['y -2']);
    expect(seen).toContain('note chat/1/3 wants to make this call that writes: write {}');
    // Answered elsewhere, or no longer asked.
    aborting.abort();
    await delay(0);
    expect(answers).toEqual(['y -2', 'n']);
    expect(seen.at(-1)).toBe('prompt ');
    await say('/exit');
    await ended;
  });
});

describe('a conversation by lines', () => {
  it('lets each line wait for the answer to the one before, but not /stop', async () => {
    const { loop, ended, seen, answer, say } = converse(true);
    await say('one', 'two', '/help');
    expect(seen).toEqual(['run one']);
    await answer('One.');
    await answer('Two.');
    await say('three', '/stop', 'four');
    loop.onEnd();
    await answer('Four.');
    expect(await ended).toBe(0);
    expect(seen.filter((each) => !each.startsWith('note'))).toEqual([
      ...[
        'run one',
        'completed One.',
        'run two',
        'completed Two.',
        'run three',
        'interrupt stop',
        'aborted ',
      ],
      ...['run four', 'completed Four.', 'close new'],
    ]);
  });

  it('ends with 130 at Ctrl-C, and with 5 where a question is open when the input ends', async () => {
    const first = converse(true);
    await first.say('one', 'two');
    first.loop.onInterrupt();
    expect(await first.ended).toBe(130);
    expect(first.seen).toEqual(['run one', 'interrupt signal', 'aborted ', 'close new']);
    const second = converse(true);
    await second.say('one');
    void second.questions.authorise(question());
    second.loop.onEnd();
    expect(await second.ended).toBe(5);
    expect(second.seen.at(-1)).toBe('waiting ');
  });
});
