/* What cuts into the work of an agent: an interruption, a crash, a full context. */
import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import { AgentWorld, anyTool, calling, runWorld, type World } from '../../support/agent-world.ts';
import { answer } from '../../support/core.ts';

const DONE = 'The answer.';

describe('an interruption', () => {
  const started = (until: (world: AgentWorld) => boolean): AgentWorld =>
    new AgentWorld({
      tools: [anyTool('slow', 'write'), anyTool('search')],
      grant: { approve: 'write' },
      model: {
        think: [calling({ name: 'search' }, { name: 'slow' }, { name: 'search', args: { n: 2 } }), DONE],
      },
    }).run(until);

  it('ends the agent at once, with one result for each call of its turn', () => {
    const world = started((now) => now.questions.length > 0);
    world.give({ type: 'agent.interrupted', agent: 'main/1', by: 'message' }).run();
    expect(world.agent().finished).toMatchObject({ reason: 'aborted', status: 'aborted' });
    expect(world.agent().messages.slice(2)).toEqual([
      { role: 'tool', toolCallId: 'c0', content: 'result of search' },
      { role: 'tool', toolCallId: 'c1', content: '[interrupted] This call was not made.' },
      { role: 'tool', toolCallId: 'c2', content: '[interrupted] This call was not made.' },
    ]);
  });

  it('does not say of a call that it was not made where nobody knows', () => {
    const world = new AgentWorld({
      tools: [anyTool('send', 'irreversible')],
      model: { think: [calling({ name: 'send' })] },
      call: () => ({ failure: { code: 'timeout', class: 'TRANSIENT', message: 'too slow' } }),
      person: ({ question }) => ({ decision: 'approved', ...(question === 'consent' ? {} : { next: 0 }) }),
    }).run((now) => now.questions.some(({ question }) => question === 'in_doubt'));
    world.give({ type: 'agent.interrupted', agent: 'main/1', by: 'stop' }).decideAll();
    expect(world.agent().messages.at(-1)?.content).toMatch(/^\[interrupted\] .*not known/);
  });

  it('keeps an answer out of the history that comes after it', () => {
    const world = started((now) => now.asks.length > 0);
    world.give({ type: 'agent.interrupted', agent: 'main/1', by: 'stop' }).run();
    expect(world.only('turn.read')).toEqual([]);
    expect(world.only('agent.finished')).toHaveLength(1);
    expect(world.agent().phase).toBe('ended');
    expect(world.agent().messages).toEqual([{ role: 'user', content: 'Find x.' }]);
  });

  it('waits for a call that is under way, whose outcome is told', () => {
    const world = new AgentWorld({ model: { think: [calling({ name: 'search' })] } }).run(
      (now) => now.only('call.started').length > 0,
    );
    world.give({ type: 'agent.interrupted', agent: 'main/1', by: 'signal' });
    world.decideAll();
    expect(world.agent().phase).toBe('act');
    world.give({
      type: 'call.failed',
      agent: 'main/1',
      key: 'main/1/2',
      failure: { code: 'aborted', class: 'PERMANENT', message: 'cancelled' },
    });
    world.decideAll();
    expect(world.agent().finished?.status).toBe('aborted');
    expect(world.agent().messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('[interrupted]') as string,
    });
  });
});

describe('a crash', () => {
  const slow = anyTool('slow', 'write');
  const world = (tools = [slow]): World => ({ tools, model: { think: [calling({ name: 'slow' }), DONE] } });
  const crashed = (tools = [slow]): AgentWorld => {
    const before = new AgentWorld(world(tools)).run((now) => now.only('call.started').length > 0);
    return new AgentWorld(world(tools), { events: before.events }).run();
  };

  it('during a write that may not be made twice leaves it at that, and tells the model', () => {
    const resumed = crashed();
    expect(resumed.only('call.started')).toHaveLength(1);
    expect(resumed.agent().messages[2]).toMatchObject({
      toolCallId: 'c0',
      content: expect.stringMatching(/^\[interrupted\] .*not known/) as string,
    });
    expect(resumed.agent().finished?.status).toBe('completed');
  });

  it('during one that may makes it again', () => {
    const resumed = crashed([anyTool('slow', 'write', { idempotent: true })]);
    expect(resumed.only('call.started').map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(resumed.agent().messages[2]).toMatchObject({ content: 'result of slow' });
  });
});

describe('compression', () => {
  const history = Array.from({ length: 40 }, (_, n) => ({
    role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${n} `.repeat(2000),
  }));

  it('hands out figures first, then summarises, and says nothing of it to the model that works', () => {
    const world = runWorld({
      started: { history },
      model: { think: [DONE], summary: () => 'Numbers were counted.' },
    });
    const order = world.events.map(({ type }) => type).filter((type) => /compress|figures|round/.test(type));
    expect(order.slice(0, 4)).toEqual([
      'compression.started',
      'figures.kept',
      'context.compressed',
      'round.started',
    ]);
    const kept = world.effects.find((effect) => effect.kind === 'keepFigures');
    expect(kept?.kind === 'keepFigures' && kept.texts.length).toBe(history.length + 1 - 20 - 3);
    expect(world.asks.map(({ purpose, role }) => `${purpose} by ${role}`)).toEqual([
      'summary by summarizer',
      'think by agent',
    ]);
    expect(world.agent().messages).toHaveLength(3 + 1 + 20 + 1);
    expect(readSection({ messages: world.asks[1]?.messages ?? [] }, 'summary')).toBe('Numbers were counted.');
  });

  it('clears old results before it summarises anything', () => {
    const world = runWorld({
      settings: { keepLast: 2, keepFirst: 1, rounds: 30 },
      environment: { windowTokens: 12_000 },
      model: {
        think: (_ask, { round }) =>
          round < 12 ? calling({ name: 'search', args: { round } }) : answer(DONE),
      },
      call: (_tool, args) => `${JSON.stringify(args)} ${'x'.repeat(3000)}`,
    });
    expect(world.only('compression.started')[0]).toMatchObject({ level: 'soft', summarise: false });
    expect(JSON.stringify(world.agent().messages)).toContain('[cleared] An old result of 3');
    expect(world.asks.filter(({ purpose }) => purpose === 'summary')).toEqual([]);
  });
});
