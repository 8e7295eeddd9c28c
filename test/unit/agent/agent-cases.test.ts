/* The cases of test/fixtures/agent: what turns and histories of an agent must come to. */
import { describe, expect, it } from 'vitest';
import { parseAuthorisation } from '../../../src/agent/authorisation.ts';
import { interpretScore } from '../../../src/agent/completion.ts';
import { compressMessages, keptTail } from '../../../src/agent/compress.ts';
import { readCommand } from '../../../src/agent/read-command.ts';
import { repairMessages } from '../../../src/agent/repair-messages.ts';
import type { Message } from '../../../src/contracts/model.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { callsOf, cases, contentOf, historyOf, take, tested } from './agent-case.ts';
import { AgentWorld, anyTool, calling, runWorld } from '../../support/agent-world.ts';

describe('the cases of agents', () => {
  it('loop on one call', () => {
    const { turns = [] } = take('loop on one call');
    const made: string[] = [];
    const world = runWorld({
      model: { think: turns.map((turn) => calling(...callsOf(turn))), final: () => 'written up' },
      call: (tool) => {
        made.push(tool);
        return 'the same';
      },
    });
    expect(made).toHaveLength(2);
    expect(world.agent().finished).toMatchObject({ reason: 'repeated_call', status: 'partial' });
    expect(contentOf(world.agent().messages.at(-2))).toContain('That result is: the same');
  });

  it('loop in a cycle', () => {
    const { turns = [] } = take('loop in a cycle');
    let made = 0;
    const world = runWorld({
      tools: [anyTool('a'), anyTool('b')],
      model: { think: turns.map((turn) => calling(...callsOf(turn))), final: () => 'written up' },
      call: (tool) => {
        made++;
        return tool;
      },
    });
    expect(made).toBe(4);
    expect(world.agent().finished?.reason).toBe('repeated_cycle');
  });

  it('stale command', () => {
    const { turns = [] } = take('stale command');
    const made: Json[] = [];
    const world = runWorld({
      tools: [anyTool('delete_file', 'write')],
      model: {
        think: [calling(...callsOf(turns[0] ?? '')), '{"command": {"name": "delete_file"', 'done'],
        repair: () => 'I cannot',
      },
      call: (_tool, args) => {
        made.push(args);
        return 'deleted';
      },
    });
    expect(made).toEqual([{ path: 'a' }]);
    expect(world.only('turn.read')[1]).toMatchObject({ kind: 'unreadable', calls: [] });
    expect(contentOf(world.asks.at(-1)?.messages.at(-1))).toMatch(
      /nothing was executed: .*before the arguments/,
    );
    expect(world.only('round.ended').map(({ failed }) => failed)).toEqual([false, true, false]);
  });

  it('orphan tool result', () => {
    const { history = [] } = take('orphan tool result');
    expect(repairMessages(historyOf(history as string[])).map(({ role }) => role)).toEqual([
      'system',
      'user',
    ]);
    // Nor does it become the result of a call that comes only later.
    const early = historyOf(['user', 'tool A', 'assistant(calls A)']);
    expect(contentOf(repairMessages(early).at(-1))).toContain('[interrupted]');
  });

  it('adjacent users', () => {
    const { history = [] } = take('adjacent users');
    expect(repairMessages(historyOf(history as string[]))).toEqual([
      { role: 'system', content: 'system 0' },
      { role: 'user', content: 'user 1\n\nuser 2' },
    ]);
  });

  it('crash between call and result', () => {
    const { history = [] } = take('crash between call and result');
    const repaired = repairMessages(historyOf(history as string[]));
    expect(repaired.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(repaired.slice(2)).toEqual([
      { role: 'tool', toolCallId: 'A', content: 'result A' },
      expect.objectContaining({
        toolCallId: 'B',
        content: expect.stringContaining('[interrupted]') as string,
      }),
    ]);
  });

  it('cut between A and B', () => {
    const { history = [] } = take('cut between A and B');
    const [, ...messages] = historyOf(history as string[]);
    for (let keepFirst = 0; keepFirst <= 6; keepFirst++) {
      for (let keepLast = 1; keepLast <= 6; keepLast++) {
        const plan = { ...keptTail(messages, { keepFirst, keepLast }), level: 'soft' as const };
        const after = compressMessages(messages, plan, { summary: 's', request: 'user 6', todos: [] });
        const results = after.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
        const calls = after.flatMap((message) =>
          message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
        );
        expect(results).toEqual(calls);
        expect(after[0]?.role).toBe('user');
        expect(repairMessages(after)[0]?.role).toBe('user');
        expect(contentOf(after.at(-1))).toContain('user 6');
      }
    }
  });

  it('summary fails', () => {
    take('summary fails');
    const history = Array.from({ length: 60 }, (_, index): Message =>
      index % 2 === 0
        ? { role: 'user', content: `question ${index} ${'q'.repeat(2500)}` }
        : { role: 'assistant', content: `answer ${index} ${'a'.repeat(2500)}` },
    );
    const world = runWorld({
      started: { history },
      model: {
        think: [calling({ name: 'search' }), 'done'],
        summary: (_ask, agent) => (agent.round === 0 ? { ...failedSummary } : 'What was said before.'),
      },
    });
    expect(world.only('compression.failed')).toHaveLength(1);
    const failedAt = world.events.findIndex(({ type }) => type === 'compression.failed');
    const replayed = new AgentWorld(
      { model: { think: [] } },
      { events: world.events.slice(0, failedAt + 1) },
    );
    expect(replayed.agent().messages.slice(0, -1)).toEqual(history);
    expect(world.only('context.compressed')).toHaveLength(1);
  });

  it('autogpt style', () => {
    const { text = '' } = take('autogpt style');
    expect(readCommand(text, true)).toEqual({
      kind: 'command',
      name: 'search',
      args: { query: 'x' },
      thoughts: { text: 't' },
    });
  });

  it('near command', () => {
    const { text = '' } = take('near command');
    const world = runWorld({ model: { think: [text, 'done'] } });
    expect(world.effects.filter(({ kind }) => kind === 'callAgentTool')).toEqual([]);
    expect(contentOf(world.asks.at(-1)?.messages.at(-1))).toContain('did you mean search?');
  });

  it('approval with feedback', () => {
    const { answer = '' } = take('approval with feedback');
    const said = parseAuthorisation(answer);
    expect(said).toEqual({ kind: 'feedback', text: answer });
    const world = runWorld({
      grant: { approve: 'write' },
      model: { think: [calling({ name: 'write_file' }), 'done'] },
      person: () => ({ decision: 'denied', reason: said.kind === 'feedback' ? said.text : '' }),
    });
    expect(world.effects.filter(({ kind }) => kind === 'callAgentTool')).toEqual([]);
    expect(contentOf(world.asks.at(-1)?.messages.at(-1))).toContain(
      `a person did not allow this call, and says: ${answer}`,
    );
  });

  it('y with spaces and count', () => {
    const { answer = '' } = take('y with spaces and count');
    const said = parseAuthorisation(answer);
    expect(said).toEqual({ kind: 'approved', next: 3 });
    const world = runWorld({
      grant: { approve: 'write' },
      model: {
        think: [...Array.from({ length: 5 }, (_, n) => calling({ name: 'write_file', args: { n } })), 'done'],
      },
      person: () => ({ decision: 'approved', next: said.kind === 'approved' ? said.next : 0 }),
    });
    expect(world.questions.map(({ args }) => args)).toEqual([{ n: 0 }, { n: 4 }]);
    expect(world.only('call.started').map(({ standing }) => standing === true)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('child asks for more', () => {
    const { turns = [] } = take('child asks for more');
    const [call = { name: '', args: {} }] = callsOf(turns[0] ?? '');
    const args = { task: 'go on', ...(call.args as object) } as Json;
    const world = runWorld({ model: { think: [calling({ name: call.name, args }), 'done'] } });
    expect(world.only('agent.started')).toHaveLength(1);
    expect(contentOf(world.asks.at(-1)?.messages.at(-1))).toMatch(/max_iterations is 5000, the cap is 50/);
  });

  it('same call, new result', () => {
    const { turns = [] } = take('same call, new result');
    const results = turns.map((turn) => turn.split('→')[1]?.trim() ?? '');
    const world = runWorld({
      tools: [anyTool('check_status')],
      model: { think: [...turns.map(() => calling({ name: 'check_status' })), 'done'] },
      call: (_tool, _args, count) => results[count - 1] ?? '',
    });
    expect(world.only('call.returned').map(({ value }) => value)).toEqual(['10 %', '20 %', 'done']);
    expect(world.agent().finished?.reason).toBe('completed');
  });

  it('parallel write', () => {
    const { turns = [] } = take('parallel write');
    const names = callsOf(turns[0] ?? '').map(({ name }) => name);
    const world = runWorld({
      tools: [anyTool('write_file', 'write'), anyTool('read_file')],
      model: { think: [calling(...names.map((name, n) => ({ name, args: { n } }))), 'done'] },
    });
    expect(world.only('turn.read')[0]?.calls.map(({ segment }) => segment)).toEqual([0, 1, 2]);
    const order = world.events.flatMap((event) =>
      event.type === 'call.started' || event.type === 'call.returned' ? [`${event.type} ${event.key}`] : [],
    );
    expect(order).toEqual(
      [2, 3, 4].flatMap((n) => [`call.started main/1/${n}`, `call.returned main/1/${n}`]),
    );
    const ids = world
      .agent()
      .messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    expect(ids).toEqual(['c0', 'c1', 'c2']);
  });

  it('arguments not an object', () => {
    take('arguments not an object');
    const world = runWorld({
      model: { think: [calling({ name: 'search', args: '[1,2]', id: 'odd' }), 'done'] },
    });
    expect(world.asks.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      toolCallId: 'odd',
      content: expect.stringContaining('must be one JSON object') as string,
    });
    expect(world.agent().finished?.status).toBe('completed');
  });

  it('score unreadable', () => {
    const { turns = [] } = take('score unreadable');
    const text = /"(.*)"/.exec(turns[0] ?? '')?.[1] ?? '';
    expect(text).not.toBe('');
    expect(interpretScore(text)).toBeNull();
    const world = runWorld({
      model: {
        think: (_ask, { round }) => (round < 5 ? calling({ name: 'search', args: { round } }) : 'done'),
        score: () => text,
      },
    });
    expect(world.asks.filter(({ purpose }) => purpose === 'score')).toHaveLength(1);
    expect(world.only('round.ended').map(({ completion }) => completion)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      1,
    ]);
  });

  it('last round writes up', () => {
    take('last round writes up');
    const world = runWorld({
      model: {
        think: (_ask, { round }) => calling({ name: 'search', args: { round } }),
        score: () => '{"completion": 0.4}',
        final: () => 'What was found.',
      },
    });
    expect(world.only('round.started')).toHaveLength(15);
    const last = world.asks.at(-1);
    expect(last).toMatchObject({ purpose: 'final', isFinal: true });
    expect(last?.tools).toBeUndefined();
    expect(contentOf(last?.messages.at(-1))).toContain('the limit of rounds was met');
    expect(world.agent().finished).toMatchObject({ reason: 'rounds', status: 'partial' });
    expect(world.agent().answerText).toBe('What was found.');
  });
});

const failedSummary = { failure: { code: 'model_overloaded', class: 'TRANSIENT', message: 'busy' } } as const;

it('every case is tested', () => {
  expect([...tested].sort()).toEqual(cases.map(({ name }) => name).sort());
});
