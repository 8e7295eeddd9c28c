/* Hooks around the calls that no code outside makes: what an agent keeps itself, hands on, or asks a person. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import { AgentWorld, anyTool, calling, runWorld, type World } from '../../support/agent-world.ts';

const TODOS = { todos: [{ id: 'a', content: 'look', status: 'pending' }] };
const ask = anyTool('clarify', 'read', { interactive: true, output: { type: 'string' } });
const CALLS = [
  { name: 'todo', args: TODOS },
  { name: 'memory', args: { action: 'add', content: 'likes tea' } },
  { name: 'delegate', args: { task: 'Look.', tools: ['search'] } },
  { name: 'clarify', args: { question: 'Which?' } },
];

function world(more: Partial<World> = {}): World {
  return {
    tools: [anyTool('search'), ask],
    grant: { tools: ['search', 'clarify', 'todo', 'memory', 'delegate'] },
    model: {
      think: (_ask, { key, round }) => (key === 'main/1' && round === 1 ? calling(...CALLS) : 'done'),
    },
    person: () => ({ decision: 'done', value: 'the red one' }),
    ...more,
  };
}

function hooked(): { asked: string[]; hook: NonNullable<World['hook']> } {
  const asked: string[] = [];
  return {
    asked,
    hook: (when, tool, _args, outcome) => {
      asked.push(
        `${when} ${tool}${outcome?.ok === true ? ` ${JSON.stringify(outcome.value).slice(0, 12)}` : ''}`,
      );
      return {};
    },
  };
}

const results = (ran: AgentWorld): string[] =>
  ran.agent().messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));

describe('hooks', () => {
  it('are asked once before and once after each call, whoever does its work', () => {
    const { asked, hook } = hooked();
    const ran = runWorld(world({ hook }));
    expect(asked).toEqual(
      [
        ...['before todo', 'after todo {"todos":[', 'before memory', 'after memory {"entries"'],
        ...['before delegate', 'after delegate {"status"', 'before clarify', 'after clarify "the red one'],
      ].map((line) => expect.stringContaining(line.slice(0, 25)) as string),
    );
    expect(ran.agent().todos).toHaveLength(1);
    expect(ran.agent().memory).toEqual(['likes tea']);
    expect(results(ran)[3]).toBe('the red one');
    expect(ran.agent().finished?.status).toBe('completed');
  });

  it('are not asked where there are none, and nothing of the log is then another', () => {
    const ran = runWorld(world());
    expect(ran.only('call.hooked')).toEqual([]);
    expect(ran.only('agent.requested').map(({ what }) => what)).not.toContain('hooks');
    expect(ran.agent().finished?.status).toBe('completed');
  });

  it('change the arguments, which are looked at as the model’s are, and the result', () => {
    const seen: Json[] = [];
    const ran = runWorld(
      world({
        hook: (when, tool, args, outcome) => {
          if (when === 'after')
            return tool === 'clarify' && outcome?.ok === true ? { value: 'the blue one' } : {};
          seen.push(args);
          if (tool === 'memory') return { args: { action: 'add', content: 'likes coffee' } };
          return tool === 'delegate' ? { args: { task: 'Look.', max_iterations: 5000 } } : {};
        },
      }),
    );
    expect(seen).toEqual(CALLS.map(({ args }) => args));
    expect(ran.agent().memory).toEqual(['likes coffee']);
    expect(ran.effects.filter(({ kind }) => kind === 'keepMemory')).toMatchObject([
      { change: { after: ['likes coffee'] } },
    ]);
    expect(results(ran)[2]).toContain('max_iterations is 5000, the cap is 50');
    expect(ran.only('agent.started')).toHaveLength(1);
    expect(results(ran)[3]).toBe('the blue one');
  });

  it('block a call, which is then not made, and stop the agent as with any other call', () => {
    const failure = { code: 'policy_denied', class: 'POLICY', message: 'preToolCall: no' } as const;
    const ran = runWorld(
      world({ hook: (when, tool) => (when === 'before' && tool === 'memory' ? { failure } : {}) }),
    );
    expect(ran.agent().memory).toEqual([]);
    expect(ran.effects.filter(({ kind }) => kind === 'keepMemory')).toEqual([]);
    expect(ran.questions).toEqual([]);
    expect(ran.only('agent.started')).toHaveLength(1);
    expect(ran.agent().finished?.reason).toBe('policy');
    expect(results(ran)).toHaveLength(4);
  });

  it('give no call handed on another effect than that by which it stands beside others', () => {
    const ran = runWorld(
      world({
        tools: [anyTool('search'), anyTool('write_file', 'write'), ask],
        grant: { tools: ['search', 'write_file', 'clarify', 'todo', 'memory', 'delegate'] },
        hook: (when, tool) =>
          when === 'before' && tool === 'delegate' ? { args: { task: 'Write.', tools: ['write_file'] } } : {},
      }),
    );
    expect(ran.only('agent.started')).toHaveLength(1);
    expect(results(ran)[2]).toContain('does not only read any more');
  });

  it('void no order and no pairing, are asked again only where their answer was lost, and lead to the same end', () => {
    const { hook } = hooked();
    const whole = runWorld(world({ hook }));
    for (let cut = 1; cut < whole.events.length; cut++) {
      const { hook: again, asked } = hooked();
      const resumed = new AgentWorld(world({ hook: again }), { events: whole.events.slice(0, cut) }).run();
      expect(results(resumed), `cut at ${cut}`).toEqual(results(whole));
      expect(resumed.agent().memory).toEqual(['likes tea']);
      const answered = whole.events.slice(0, cut).filter(({ type }) => type === 'call.hooked').length;
      expect(asked, `cut at ${cut}`).toHaveLength(8 - answered);
    }
  });

  it('do not hold up an interruption', () => {
    const { hook } = hooked();
    const ran = new AgentWorld(world({ hook })).run(({ effects }) => effects.at(-1)?.kind === 'askHooks');
    ran.give({ type: 'agent.interrupted', agent: 'main/1', by: 'stop' }).run();
    expect(ran.agent().finished?.status).toBe('aborted');
    expect(results(ran)).toHaveLength(4);
    expect(ran.agent().memory).toEqual([]);
  });
});
