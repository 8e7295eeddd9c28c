/* What an agent does with what goes wrong, and with what goes on beside it. */
import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import type { AgentAsk } from '../../../src/agent/agent-decision.ts';
import { AgentWorld, anyTool, calling, failing, runWorld, type World } from '../../support/agent-world.ts';

const DONE = 'The answer.';

describe('an answer', () => {
  it('is the last thing in the history, and needs no write-up', () => {
    const world = runWorld({ model: { think: [DONE] } });
    expect(world.agent().messages).toEqual([
      { role: 'user', content: 'Find x.' },
      { role: 'assistant', content: DONE },
    ]);
    expect(world.agent().finished).toMatchObject({ reason: 'completed', status: 'completed' });
    expect(world.asks.map(({ purpose }) => purpose)).toEqual(['think']);
  });

  it('may be scored complete by a model, and is then written up', () => {
    const world = runWorld({
      model: {
        think: (_ask, { round }) => calling({ name: 'search', args: { round } }),
        score: (_ask, { round }) => `{"completion": ${round / 6}}`,
        final: () => 'Written up.',
      },
    });
    expect(world.asks.filter(({ purpose }) => purpose === 'score')).toHaveLength(2);
    expect(world.agent()).toMatchObject({
      round: 6,
      answerText: 'Written up.',
      finished: { reason: 'completed', status: 'completed' },
    });
  });

  it('keeps what the model thought', () => {
    const thought = { ...calling({ name: 'search' }), reasoning: [{ thinking: 'hm' }] };
    const world = runWorld({ model: { think: [thought, DONE] } });
    expect(world.agent().messages[1]).toMatchObject({ reasoning: [{ thinking: 'hm' }] });
  });
});

describe('a model', () => {
  it('that fails three times in a row ends the agent, with a list of findings where no write-up can be had', () => {
    const world = runWorld({
      model: {
        think: (_ask, { round }) => (round === 1 ? calling({ name: 'search' }) : failing('down')),
        final: () => failing('down'),
      },
    });
    expect(world.agent()).toMatchObject({ round: 4, finished: { reason: 'failures', status: 'partial' } });
    expect(world.agent().answerText).toMatch(
      /^This result is partial: too many rounds.*\n\n- "search": result of search$/,
    );
  });

  it('that recovers in between does not', () => {
    const world = runWorld({
      model: {
        think: (_ask, { round }) =>
          round > 8 ? DONE : round % 3 === 0 ? calling({ name: 'search', args: { round } }) : failing('down'),
      },
    });
    expect(world.agent().finished?.reason).toBe('completed');
  });

  it('whose call does not fit the budget is asked once more, for the write-up, and its round is given back', () => {
    const world = runWorld({
      model: { think: [calling({ name: 'search' }), { isRefused: true }], final: () => 'So far.' },
    });
    expect(world.agent()).toMatchObject({
      answerText: 'So far.',
      finished: { reason: 'budget', status: 'partial' },
    });
    expect(world.asks.at(-1)).toMatchObject({ purpose: 'final', isFinal: true });
    expect(world.agent().iterations.used).toBe(1);
  });

  it('is not asked any more where the run is stopped, but for the write-up', () => {
    const world = runWorld({ environment: { mayCall: false }, model: { think: [] } });
    expect(world.asks.map(({ purpose }) => purpose)).toEqual(['final']);
  });

  it('that answers in broken JSON is asked once to mend it', () => {
    const broken = '{"thoughts": {"text": "t"}, "command": {"name": "search", "args": {"q": "x" "y"}}}';
    const mended = '{"thoughts": {"text": "t"}, "command": {"name": "search", "args": {"q": "x"}}}';
    const world = runWorld({ model: { think: [broken, DONE], repair: () => mended } });
    const repair = world.asks.find(({ purpose }) => purpose === 'repair');
    expect(repair?.format?.name).toBe('command');
    expect(readSection({ messages: repair?.messages ?? [] }, 'answer')).toBe(broken);
    expect(world.only('turn.read')[0]).toMatchObject({ kind: 'calls', thoughts: { text: 't' } });
    expect(world.effects).toContainEqual(expect.objectContaining({ tool: 'search', args: { q: 'x' } }));
  });

  it('of the JSON style gets its results as texts, and ends by a command', () => {
    const command = (name: string, args: object): string =>
      JSON.stringify({ thoughts: { speak: 's' }, command: { name, args } });
    const world = runWorld({
      settings: { style: 'json' },
      model: { think: [command('search', { q: 1 }), command('finish', { answer: DONE })] },
    });
    expect(world.asks.every(({ tools }) => tools === undefined)).toBe(true);
    expect(readSection({ messages: world.asks[1]?.messages ?? [] }, 'result')).toEqual({
      command: 'search',
      value: 'result of search',
    });
    expect(world.agent()).toMatchObject({ answerText: DONE, finished: { status: 'completed' } });
  });
});

describe('a call', () => {
  const one = (more: Partial<World>): AgentWorld =>
    runWorld({ ...more, model: { think: [calling({ name: more.tools?.[0]?.name ?? 'search' }), DONE] } });

  it('that fails for good is told to the model', () => {
    const world = one({ call: () => failing('no such page') });
    expect(world.agent().messages[2]).toMatchObject({
      role: 'tool',
      content: '[error tool_failed] no such page',
    });
  });

  it('that fails for a moment is made again after a while, but only where that is safe', () => {
    const busy = (_tool: string, _args: unknown, count: number) =>
      count === 1 ? failing('busy', 'TRANSIENT') : 'there';
    const read = one({ call: busy });
    expect(read.only('call.started').map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(read.events).toContainEqual(expect.objectContaining({ type: 'retry.scheduled', delayMs: 50 }));
    expect(one({ tools: [anyTool('put', 'write')], call: busy }).only('call.started')).toHaveLength(1);
    expect(
      one({ tools: [anyTool('put', 'write', { idempotent: true })], call: busy }).only('call.started'),
    ).toHaveLength(2);
  });

  it('that policy forbids stops the agent, which writes up what it has', () => {
    const world = one({
      call: () => ({ failure: { code: 'policy_denied', class: 'POLICY', message: 'never' } }),
    });
    expect(world.agent().finished).toMatchObject({ reason: 'policy', status: 'partial' });
  });

  it('that does not fit the budget is not made', () => {
    const world = one({ environment: { toolCall: 'refused' } });
    expect(world.only('call.started')).toEqual([]);
    expect(world.agent().finished?.reason).toBe('budget');
  });

  it('of a write that was cut off is not made again: the model is told that its outcome is unknown', () => {
    const timeout = { failure: { code: 'timeout', class: 'TRANSIENT', message: 'too slow' } } as const;
    const world = one({ tools: [anyTool('put', 'write')], call: () => timeout });
    expect(world.only('call.started')).toHaveLength(1);
    expect(world.agent().messages[2]).toMatchObject({
      content: expect.stringMatching(/^\[interrupted\] .*not known/) as string,
    });
  });

  it('that cannot be taken back asks first, and asks what became of it where nobody knows', () => {
    const timeout = { failure: { code: 'timeout', class: 'TRANSIENT', message: 'too slow' } } as const;
    const world = one({
      tools: [anyTool('send', 'irreversible')],
      settings: { authorised: 9 },
      call: () => timeout,
      person: ({ question }) =>
        question === 'consent' ? { decision: 'approved' } : { decision: 'done', value: 'it was sent' },
    });
    expect(world.questions.map(({ question }) => question)).toEqual(['consent', 'in_doubt']);
    expect(world.only('call.started')).toHaveLength(1);
    expect(world.agent().messages[2]).toMatchObject({ content: 'it was sent' });
  });

  it('is cut to size, and says so where it says nothing', () => {
    const long = one({ settings: { resultChars: 100 }, call: () => 'x'.repeat(5000) });
    expect(long.agent().messages[2]?.content).toMatch(/^x+… \[cut: \d+ characters\]$/);
    expect(one({ call: () => '' }).agent().messages[2]?.content).toBe('(no output)');
  });

  it('behind one that ends the agent is not made either', () => {
    const again = calling({ name: 'search' }, { name: 'write_file' });
    const world = runWorld({
      model: { think: [calling({ name: 'search' }), calling({ name: 'search' }), again] },
    });
    expect(world.only('call.started').map(({ tool }) => tool)).toEqual(['search', 'search']);
    expect(world.agent().messages.at(-2)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('the agent stops') as string,
    });
  });

  it('whose outcome is the same for the third time ends the agent, though a change in between let it be made', () => {
    const turns = ['test', 'edit', 'test', 'edit', 'test', 'edit', 'test'];
    const world = runWorld({
      tools: [anyTool('test'), anyTool('edit', 'write')],
      model: { think: turns.map((name, n) => calling({ name, args: name === 'edit' ? { n } : {} })) },
      call: (tool) => (tool === 'test' ? '3 failed' : 'edited'),
    });
    expect(world.only('call.started').filter(({ tool }) => tool === 'test')).toHaveLength(3);
    expect(world.agent().finished?.reason).toBe('repeated_cycle');
  });
});

describe('what an agent keeps', () => {
  it('are todos and a bounded memory of its own, which is handed out to be kept', () => {
    const add = (content: string) => calling({ name: 'memory', args: { action: 'add', content } });
    const todo = calling({
      name: 'todo',
      args: { todos: [{ id: 'a', content: 'look', status: 'pending' }] },
    });
    const world = runWorld({
      settings: { memoryChars: 10 },
      model: { think: [add('likes tea'), add('and cake'), todo, DONE] },
    });
    expect(world.effects.filter(({ kind }) => kind === 'keepMemory')).toEqual([
      { kind: 'keepMemory', agent: 'main/1', change: { before: [], after: ['likes tea'] } },
    ]);
    expect(world.agent().messages[4]).toMatchObject({
      content: expect.stringMatching(/10 is the limit[^]*likes tea/) as string,
    });
    expect(world.agent().todos).toEqual([{ id: 'a', content: 'look', status: 'pending' }]);
  });

  it('is not what was recalled for one prompt: that is sent, and not stored', () => {
    const world = runWorld({
      settings: { recallChars: 500 },
      model: { think: [calling({ name: 'search' }), DONE] },
      recall: (query) => `about ${query}`,
    });
    const recalled = world.asks.map(({ messages }) => readSection({ messages }, 'recalled'));
    expect(recalled).toEqual(['about Find x.', 'about Find x.']);
    expect(JSON.stringify(world.agent().messages)).not.toContain('recalled');
  });

  it('leaves room for the history, however much may be recalled, and fits the window', () => {
    const environment = { windowTokens: 8000, maxOutputTokens: 1000 };
    for (const recalled of ['one thing', '漢'.repeat(30_000)]) {
      const history = [{ role: 'user' as const, content: `the beginning ${'x'.repeat(3000)} its end` }];
      const world = runWorld({
        settings: { recallChars: 30_000 },
        started: { history },
        environment,
        model: { think: [DONE] },
        recall: () => recalled,
      });
      const [{ messages, tools }] = world.asks as [AgentAsk];
      expect(JSON.stringify(messages)).toContain('its end\\n\\nFind x.');
      expect(JSON.stringify(readSection({ messages }, 'recalled'))).toContain(recalled.slice(0, 9));
      expect(world.environment().estimateTokens({ messages, ...(tools && { tools }) })).toBeLessThan(7000);
    }
  });

  it('is its system prompt, for the whole session', () => {
    const world = new AgentWorld({
      model: { think: [calling({ name: 'memory', args: { action: 'add', content: 'new' } }), DONE] },
    }).run();
    const first = world.agent();
    world.give({ ...world.only('agent.started')[0]!, agent: 'main/2', continues: 'main/1', task: 'And y?' });
    expect(world.run().agent('main/2')).toMatchObject({
      system: first.system,
      memory: ['new'],
      iterations: { used: 4 },
    });
    expect(world.agent('main/2').messages.slice(0, 4)).toEqual(first.messages.slice(0, 4));
    expect(world.crew.has('main/1')).toBe(false);
  });
});
