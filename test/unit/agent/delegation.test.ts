/* Children of agents: what they may, how many at once, and that nobody waits for a slot that its own child needs. */
import { describe, expect, it } from 'vitest';
import type { AgentState } from '../../../src/agent/agent-state.ts';
import {
  anyTool,
  calling,
  failing,
  runWorld,
  AgentWorld,
  type Reply,
  type World,
} from '../../support/agent-world.ts';

const TOOLS = [anyTool('look'), anyTool('put', 'write'), anyTool('ask_human', 'read', { interactive: true })];
const AGENTS = ['start_agent', 'message_agent', 'list_agents', 'delete_agent'];

function handing(...tasks: { task: string; tools?: string[]; max_iterations?: number }[]): Reply {
  return calling(...tasks.map((args) => ({ name: 'delegate', args: args })));
}

/** A parent with its turns, whose children look once and answer. */
function family(turns: readonly Reply[], more: Partial<World> = {}): World {
  return {
    tools: TOOLS,
    grant: { tools: [...TOOLS.map(({ name }) => name), 'todo', 'memory', 'delegate', ...AGENTS] },
    ...more,
    model: {
      think: (_ask, agent) => (agent.parent === null ? (turns[agent.round - 1] ?? 'Done.') : child(agent)),
      ...more.model,
    },
  };
}

function child(agent: AgentState): Reply {
  return agent.round === 1 ? calling({ name: 'look' }) : `I found ${agent.task}.`;
}

function results(world: AgentWorld): unknown[] {
  return world.agent().messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}

describe('delegate', () => {
  it('gives a child some of the tools, and back what it found', () => {
    const world = runWorld(family([handing({ task: 'x' })]));
    const [, started] = world.only('agent.started');
    expect(started).toMatchObject({
      agent: 'main/1/2',
      parent: 'main/1',
      grant: { tools: ['look', 'put', 'todo'], depth: 2, iterations: 50 },
      reserved: { llmCalls: 1 },
    });
    expect(results(world)).toEqual([
      JSON.stringify({ status: 'completed', reason: 'completed', answer: 'I found x.' }),
    ]);
    expect(world.crew.size).toBe(1);
  });

  it('gives it a context of its own', () => {
    const world = runWorld(family([handing({ task: 'x' })]));
    const asked = world.asks.find(({ agent }) => agent === 'main/1/2');
    expect(asked?.messages.slice(1)).toEqual([{ role: 'user', content: 'x' }]);
    expect(asked?.messages[0]?.content).toContain('another agent has handed one task');
  });

  it.each([
    ['tools that are not its own', { task: 'x', tools: ['look', 'rm'] }, /not yours to pass on: rm/],
    ['to ask a person', { task: 'x', tools: ['ask_human'] }, /not yours to pass on: ask_human/],
    ['the memory', { task: 'x', tools: ['memory'] }, /not yours to pass on: memory/],
    ['to delegate further', { task: 'x', tools: ['delegate'] }, /not yours to pass on: delegate/],
    ['more turns than the cap', { task: 'x', max_iterations: 51 }, /the cap is 50/],
  ])('refuses a child %s', (_what, args, message) => {
    const world = runWorld(family([handing(args)]));
    expect(world.only('agent.started')).toHaveLength(1);
    expect(results(world)[0]).toMatch(message);
  });

  it('keeps to fewer turns where it is told so, and still hands back what it found', () => {
    const world = runWorld(family([handing({ task: 'x', max_iterations: 1 })]));
    expect(results(world)[0]).toMatch(/"status":"partial","reason":"iterations"/);
    expect(world.agent().iterations.used).toBe(3);
  });

  it('starts none whose write-up could not be paid', () => {
    const world = runWorld(family([handing({ task: 'x' })], { environment: { reserveWriteUp: () => null } }));
    expect(world.only('agent.started')).toHaveLength(1);
    expect(results(world)[0]).toMatch(/budget_refused/);
    expect(world.agent().finished?.status).toBe('completed');
  });

  it('lets readers work side by side, three at once, and writers one after the other', () => {
    const most = (world: AgentWorld): number => {
      let [now, highest] = [0, 0];
      for (const { type, ...event } of world.events) {
        if (!('agent' in event) || event.agent === 'main/1') continue;
        if (type === 'agent.started') highest = Math.max(highest, ++now);
        if (type === 'agent.finished') now--;
      }
      return highest;
    };
    const readers = Array.from({ length: 5 }, (_, n) => ({ task: `${n}`, tools: ['look'] }));
    expect(most(runWorld(family([handing(...readers)])))).toBe(3);
    expect(most(runWorld(family([handing(...readers.map(({ task }) => ({ task, tools: ['put'] })))])))).toBe(
      1,
    );
  });

  it('comes to its end with one slot: a parent whose children work holds none', () => {
    const readers = Array.from({ length: 5 }, (_, n) => ({ task: `${n}`, tools: ['look'] }));
    const world = runWorld(family([handing(...readers), handing(...readers.slice(0, 2))]), { slots: 1 });
    expect(world.agent().finished?.status).toBe('completed');
    expect(world.only('agent.finished')).toHaveLength(8);
    expect(Math.max(...world.slots)).toBe(1);
  });

  it('tells of a child that fails, without failing itself', () => {
    const think = (_ask: unknown, agent: AgentState): Reply =>
      agent.parent !== null ? failing('down') : agent.round === 1 ? handing({ task: 'x' }) : 'Done.';
    const world = runWorld(family([], { model: { think } }));
    expect(results(world)[0]).toMatch(/"status":"partial","reason":"failures"/);
    expect(world.agent().finished?.status).toBe('completed');
  });

  it('ends its children when it is interrupted', () => {
    const world = new AgentWorld(family([handing({ task: 'x' }, { task: 'y', tools: ['look'] })])).run(
      (now) => now.only('agent.started').length > 1,
    );
    world.give({ type: 'agent.interrupted', agent: 'main/1', by: 'signal' }).run();
    expect(world.only('agent.finished').map(({ agent, status }) => [agent, status])).toEqual([
      ['main/1/2', 'aborted'],
      ['main/1', 'aborted'],
    ]);
  });

  it('is refused where agents may not delegate', () => {
    const world = runWorld(family([handing({ task: 'x' })], { settings: { depth: 1 } }));
    expect(results(world)[0]).toMatch(/agents may delegate 1 deep/);
  });
});

describe('lasting agents', () => {
  const start = (name: string, task = 'x') => ({ name: 'start_agent', args: { name, task } });
  const message = (name: string, text: string) => ({ name: 'message_agent', args: { name, message: text } });

  it('go on with their own history', () => {
    const world = runWorld(
      family([calling(start('ada')), calling(message('ada', 'and y')), calling({ name: 'list_agents' })]),
    );
    const second = world.asks.filter(({ agent }) => agent.startsWith('main/1/') && agent !== 'main/1/2')[0];
    expect(second?.messages.slice(1).map(({ content }) => content)).toEqual([
      'x',
      '',
      'result of look',
      'I found x.',
      'and y',
    ]);
    expect(results(world)[2]).toBe(JSON.stringify([{ name: 'ada', tools: ['look', 'put', 'todo'] }]));
    expect([...world.crew.keys()]).toEqual(['main/1', 'main/1/4']);
  });

  it('have the same caps as others: so many at most, and turns for all their messages together', () => {
    const names = ['a', 'b', 'c', 'd'];
    const world = runWorld(family([calling(...names.map((name) => start(name)))]));
    expect(results(world).map((text) => /at most 3 agents/.test(String(text)))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    const used = world
      .only('agent.started')
      .slice(1)
      .map(({ agent }) => world.agent(agent).iterations);
    expect(used.map(({ limit, used: taken }) => [limit, taken])).toEqual([
      [50, 2],
      [50, 2],
      [50, 2],
    ]);
  });

  it('can be deleted, and are then unknown', () => {
    const gone = { name: 'delete_agent', args: { name: 'ada' } };
    const world = runWorld(
      family([
        calling(start('ada')),
        calling(gone),
        calling(message('ada', 'y')),
        calling(start('ada', 'z')),
      ]),
    );
    expect(results(world)).toEqual([
      expect.stringContaining('I found x.'),
      'deleted ada',
      expect.stringContaining('there is no agent "ada"; there are: none'),
      expect.stringContaining('I found z.'),
    ]);
  });

  it('are refused twice under one name', () => {
    const world = runWorld(family([calling(start('ada')), calling(start('ada', 'y'))]));
    expect(results(world)[1]).toMatch(/there is an agent "ada" already/);
  });
});
