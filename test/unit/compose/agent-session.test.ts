/* An agent that is talked to: exchanges, interruptions, answers of a person, and sessions that are gone on with. */
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { type AgentOptions, createAgent, readExchanges, replayRun } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { keepReasoning } from '../../../src/providers/reasoning.ts';
import { calling, inTurn, lookUp, type Say, speaking } from '../../support/agent-run.ts';
import { sendTool } from '../../support/composed.ts';
import { echoTool } from '../../support/core.ts';

const LOOK = calling({ name: 'look_up', args: { city: 'Tokyo' } });

function options(agent: Say, more: Omit<Partial<AgentOptions>, 'provider' | 'store'> = {}) {
  return {
    ...{
      tools: [lookUp],
      provider: speaking({ agent, finalizer: () => 'So far.' }),
      workspace: '/workspace',
    },
    store: new MemoryRunStore(),
    ...more,
  };
}

/** A model that hangs until its call is aborted. */
const hang: Say = () => new Promise<never>(() => undefined);

describe('an agent that is talked to', () => {
  it('answers, remembers what was said before, and leaves a session that replays', async () => {
    const given = options(inTurn(LOOK, '13960000 people.', 'You asked about Tokyo.'));
    const agent = await createAgent(given);
    expect(await agent.chat('How many people live in Tokyo?')).toBe('13960000 people.');
    const reply = await agent.run({ message: 'What did I ask?', taskId: 't2' });
    expect(reply).toMatchObject({
      answer: 'You asked about Tokyo.',
      status: 'completed',
      usage: { llmCalls: 1, toolCalls: 0 },
      metadata: { session: agent.id, folder: null, exchange: 'chat/2', taskId: 't2', rounds: 1 },
    });
    expect(reply.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant'],
      ...['user', 'assistant'],
    ]);
    await agent.close();
    const report = await replayRun(agent.id, { store: given.store, strict: true });
    expect(report).toMatchObject({ divergence: null, isComplete: true });
    const events = await given.store.read(agent.id);
    expect(readExchanges(events)).toMatchObject([
      { key: 'chat/1', asked: 'How many people live in Tokyo?', answer: '13960000 people.' },
      { key: 'chat/2', taskId: 't2', status: 'completed' },
    ]);
    // Its history is taken over by the fold and never said again in the log.
    expect(JSON.stringify(events).split('How many people live in Tokyo?')).toHaveLength(3);
  });

  it('begins with a history and standing instructions from outside', async () => {
    const given = options(inTurn('', 'Hello Ann.'));
    const agent = await createAgent(given);
    await agent.run({
      message: 'Greet me.',
      systemMessage: 'Be kind.',
      history: [
        { role: 'user', content: 'I am Ann.' },
        { role: 'assistant', content: 'Noted.' },
      ],
    });
    await agent.close();
    const [request] = given.provider.asked;
    expect(request?.messages[0]?.content).toContain('Be kind.');
    expect(request?.messages.map(({ content }) => content)).toContain('I am Ann.');
  });

  it('is interrupted by a new message: the answer under way never enters the history', async () => {
    let begun: () => void = () => undefined;
    const isThinking = new Promise<void>((resolve) => (begun = resolve));
    const given = options((request, key) => {
      if (JSON.stringify(request.messages).includes('Two.')) return 'Second.';
      begun();
      return hang(request, key);
    });
    const agent = await createAgent(given);
    const first = agent.run({ message: 'One.' });
    await isThinking;
    const second = await agent.run({ message: 'Two.' });
    expect(await first).toMatchObject({ status: 'aborted', answer: '' });
    expect(second).toMatchObject({ status: 'completed', answer: 'Second.' });
    expect(second.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1);
    await agent.close();
    expect(readExchanges(await given.store.read(agent.id))).toMatchObject([
      { asked: 'One.', answer: '', status: 'aborted' },
      { asked: 'Two.', answer: 'Second.', status: 'completed' },
    ]);
  });

  it('tells what the model thought, and what of its calls it answers itself', async () => {
    const told: unknown[] = [];
    const raw = { type: 'thinking', thinking: 'I keep a list.', signature: 's' };
    const thought = keepReasoning('messages', 'm', [{ kind: 'raw', value: raw }])!;
    const agent = await createAgent(
      options(inTurn({ ...calling({ name: 'todo' }), reasoning: thought, text: 'First a list.' }, 'Done.'), {
        onReasoning: ({ thoughts }) => told.push(thoughts),
        onToolProgress: ({ tool, state, value }) => told.push([tool, state, value]),
      }),
    );
    await agent.chat('Look.');
    await agent.close();
    expect(told).toEqual([
      { text: 'First a list.', reasoning: 'I keep a list.' },
      ['todo', 'returned', expect.objectContaining({ todos: [] })],
    ]);
  });

  it('tells what it does while it does it', async () => {
    const told: string[] = [];
    const agent = await createAgent(
      options(inTurn(LOOK, 'Done.'), {
        onThinking: ({ round }) => told.push(`thinking ${round}`),
        onToolGeneration: ({ calls }) => told.push(`generated ${calls.map(({ tool }) => tool).join()}`),
        onToolProgress: ({ tool, state }) => told.push(`${tool} ${state}`),
        onStep: ({ round }) => told.push(`step ${round}`),
        onStatus: ({ type }) => told.push(type),
      }),
    );
    await agent.chat('Look.');
    expect(told).toEqual([
      ...[
        'agent.started',
        'thinking 1',
        'generated look_up',
        'look_up started',
        'look_up returned',
        'step 1',
      ],
      ...['thinking 2', 'step 2', 'agent.finished'],
    ]);
    await agent.close();
  });
});

describe('a call that waits for a person', () => {
  const send = (...to: string[]) => calling(...to.map((each) => ({ name: 'send', args: { to: each } })));

  it('is made where they say y, and told what they say otherwise', async () => {
    const sent: Json[] = [];
    const answers = ['  ', 'y', 'not to ben'];
    const given = options(inTurn(send('ann'), send('ben'), 'Sent one.'), {
      tools: [sendTool(sent)],
      authorise: () => Promise.resolve(answers.shift() ?? 'n'),
      by: 'ann',
    });
    const agent = await createAgent(given);
    const reply = await agent.run({ message: 'Send it.' });
    expect(sent).toEqual([{ to: 'ann' }]);
    expect(JSON.stringify(reply.messages)).toContain('says: not to ben');
    await agent.close();
    expect((await replayRun(agent.id, { store: given.store, strict: true })).divergence).toBeNull();
  });

  it('is authorised with the next ones by y -N, irreversible ones excepted', async () => {
    let asked = 0;
    const write = echoTool('write', { effect: 'write', run: () => 'written' });
    const calls = [1, 2, 3, 4].map((value) => calling({ name: 'write', args: { value } }));
    const given = options(inTurn(...calls, 'Written.'), {
      task: { name: 'w', goal: 'Write.', policy: { approve: 'write' }, mode: 'agent' },
      tools: [write],
      authorise: () => Promise.resolve(++asked === 1 ? 'y -2' : 'n'),
    });
    const agent = await createAgent(given);
    await agent.chat('Write.');
    // The first with the next two, then the fourth, which was denied.
    expect(asked).toBe(2);
    await agent.close();
  });

  it('ends the session waiting where nobody is there, and goes on where somebody is', async () => {
    const sent: Json[] = [];
    const given = options(inTurn(send('ann'), 'Sent.'), { tools: [sendTool(sent)] });
    const first = await createAgent(given);
    expect(await first.run({ message: 'Send it.' })).toMatchObject({ status: 'waiting' });
    expect(sent).toEqual([]);
    const second = await createAgent({ ...given, session: first.id, authorise: () => Promise.resolve('y') });
    expect(await second.pending).toMatchObject({ status: 'completed', answer: 'Sent.' });
    expect(sent).toHaveLength(1);
    await second.close();
    expect((await replayRun(first.id, { store: given.store, strict: true })).divergence).toBeNull();
  });
});

describe('a session', () => {
  it('is gone on with by another process, its history and its prompt with it', async () => {
    const given = options(inTurn('First.', 'Second.'));
    const first = await createAgent(given);
    await first.chat('One.');
    await first.close();
    const second = await createAgent({ ...given, session: 'last' });
    const reply = await second.run({ message: 'Two.' });
    expect(reply.messages.map(({ content }) => content)).toEqual(['One.', 'First.', 'Two.', 'Second.']);
    await second.close();
    const [before, after] = given.provider.asked;
    expect(after?.messages[0]).toEqual(before?.messages[0]);
    expect((await replayRun(first.id, { store: given.store, strict: true })).divergence).toBeNull();
  });

  it('can be searched by later ones, and asks the person back', async () => {
    const given = options(inTurn('The harbour opens at nine.'));
    const first = await createAgent(given);
    await first.chat('When does the harbour open?');
    await first.close();
    const provider = speaking({
      agent: inTurn(
        calling({ name: 'session_search', args: { query: 'harbour' } }),
        calling({ name: 'clarify', args: { question: 'Which day?', choices: ['Monday'] } }),
        'At nine on Monday.',
      ),
    });
    const asked: string[] = [];
    const second = await createAgent({
      ...given,
      provider,
      onClarify: ({ question, choices }) => {
        asked.push(question);
        return Promise.resolve(choices[0] ?? '');
      },
    });
    const { messages } = await second.run({ message: 'When?' });
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(results[0]).toContain('The harbour opens at nine.');
    expect(results[1]).toContain('Monday');
    expect(asked).toEqual(['Which day?']);
    await second.close();
  });
});
