/* What a conversation shows of what an agent does, and of the session that it goes on with. */
import { describe, expect, it } from 'vitest';
import { ChatNarrator } from '../../../src/cli/chat/chat-narrator.ts';
import type { ChatScreen } from '../../../src/cli/chat/chat-screen.ts';
import { describeResumed } from '../../../src/cli/chat/chat-text.ts';
import { PLAIN_STYLE } from '../../../src/views/style.ts';

function narrate(isStreaming: boolean) {
  const notes: string[] = [];
  const nothing = (): void => undefined;
  const screen: ChatScreen = {
    ...{ isStreaming, columns: 60, delta: nothing, endAnswer: nothing, answer: nothing },
    ...{ note: (text) => notes.push(text.trim()), status: nothing, prompt: nothing, close: nothing },
  };
  return { narrator: new ChatNarrator(screen, PLAIN_STYLE), notes };
}

describe('what is shown of an agent', () => {
  it('are its thoughts, cut, and its reasoning where the answer does not stand there already', () => {
    const { narrator, notes } = narrate(true);
    const thoughts = { text: 'x'.repeat(3000), reasoning: 'because' };
    narrator.onReasoning({ agent: 'chat/1', thoughts });
    expect(notes[0]).toMatch(/^thought: x{900,}… \[cut: \d+ characters\]$/);
    expect(notes[1]).toBe('reasoning: because');
    narrator.onStreamDelta({ key: 'chat/1/2', role: 'agent', text: 'An answer.' });
    narrator.onReasoning({ agent: 'chat/1', thoughts: { reasoning: 'too late' } });
    expect(notes).toHaveLength(2);
  });

  it('is what its own tools say, but not that it answers', () => {
    const { narrator, notes } = narrate(false);
    const call = { agent: 'chat/1', key: 'chat/1/2', state: 'returned' } as const;
    narrator.onToolProgress({ ...call, tool: 'todo', value: { todos: [] } });
    narrator.onToolProgress({ ...call, tool: 'finish', value: 'finished' });
    expect(notes).toEqual(['✓ todo {"todos":[]}']);
  });
});

it('reminds of what was asked last in a line, however long that was', () => {
  const line = {
    ...{ session: 's', name: 'n', startedAtMs: 0, updatedAtMs: 0, exchanges: 2, status: 'idle' as const },
    ...{ lastAsked: 'many lines\n'.repeat(100), origin: null },
  };
  const [first, last = ''] = describeResumed('s', 's', line, false);
  expect(first).toBe('going on with session s: 2 exchanges');
  expect(last).toMatch(/^the last was: many lines many lines /);
  expect(last.length).toBeLessThan(180);
});
