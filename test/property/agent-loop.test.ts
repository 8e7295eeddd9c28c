/* Agents in random worlds: they end, keep to their grant and their slots, and a crash at any event changes nothing of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentAsk } from '../../src/agent/agent-decision.ts';
import type { AgentState } from '../../src/agent/agent-state.ts';
import { type AgentCrew, resumeCrew } from '../../src/agent/crew.ts';
import { agentEventParts } from '../../src/contracts/agent-events.ts';
import type { Failure } from '../../src/contracts/failure.ts';
import type { ModelAnswer } from '../../src/contracts/model.ts';
import { hashJson } from '../../src/kernel/hash.ts';
import type { Json } from '../../src/kernel/json.ts';
import { AgentWorld, anyTool, calling, failing, type Reply, type World } from '../support/agent-world.ts';
import { chatFaults } from '../support/chat-rules.ts';
import { answer } from '../support/core.ts';

const TOOLS = [
  anyTool('look'),
  anyTool('count'),
  anyTool('ask_around', 'read', { interactive: true }),
  anyTool('keep', 'write', { idempotent: true }),
  anyTool('send', 'irreversible'),
  anyTool('bad'),
  anyTool('busy'),
];
const FORBIDDEN = anyTool('forbidden', 'write');
const MOVES = [
  ...['look', 'look', 'look', 'count', 'ask_around', 'keep', 'send', 'bad', 'busy', 'forbidden', 'unknown'],
  ...['todo', 'memory', 'delegate', 'delegate', 'pair', 'three', 'same_id', 'no_object'],
  ...['text', 'json', 'broken', 'prose', 'cut', 'refusal', 'fails', 'finish'],
] as const;

interface Shape {
  readonly moves: readonly (typeof MOVES)[number][];
  readonly style: 'tools' | 'json';
  readonly slots: number;
  readonly consent: 'approved' | 'denied';
  readonly next: number;
  readonly iterations: number;
  readonly windowTokens: number;
  readonly score: number;
  readonly hooks: 'none' | 'let go' | 'block';
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  moves: fc.array(fc.constantFrom(...MOVES), { minLength: 1, maxLength: 12 }),
  style: fc.constantFrom('tools' as const, 'tools' as const, 'json' as const),
  slots: fc.integer({ min: 1, max: 3 }),
  consent: fc.constantFrom('approved' as const, 'approved' as const, 'denied' as const),
  next: fc.nat(2),
  iterations: fc.integer({ min: 1, max: 40 }),
  windowTokens: fc.constantFrom(100_000, 8000, 5500),
  score: fc.constantFrom(0.2, 0.2, 0.97, Number.NaN),
  hooks: fc.constantFrom('none' as const, 'none' as const, 'let go' as const, 'block' as const),
});

/** A model whose reply follows from who asks in which round, as that of a real one would from the request. */
function think(shape: Shape, { key, round, settings, parent }: AgentState): Reply {
  const depth = key.split('/').length;
  const move: string = shape.moves[(round + depth - 3) % shape.moves.length] ?? 'text';
  const args = { n: round % 4 };
  const call = (...names: string[]): ModelAnswer => {
    if (settings.style === 'tools')
      return calling(...names.map((name, n) => ({ name, args: { ...args, of: n } })));
    return answer(JSON.stringify({ thoughts: { text: 't' }, command: { name: names[0] ?? '', args } }));
  };
  switch (move) {
    case 'pair':
      return call('look', 'count');
    case 'three':
      return call('look', 'keep', 'count');
    case 'same_id':
      return calling({ name: 'look', id: 'x' }, { name: 'count', id: 'x' }, { name: 'look', id: 'x' });
    case 'no_object':
      return calling({ name: 'look', args: [1] });
    case 'delegate':
      return parent === null
        ? calling(
            { name: 'delegate', args: { task: `part ${round}`, tools: ['look', 'bad'] } },
            { name: 'delegate', args: { task: `other ${round}`, tools: ['look'] } },
          )
        : call('delegate');
    case 'todo':
      return calling({
        name: 'todo',
        args: { todos: [{ id: 'a', content: `do ${round}`, status: 'pending' }] },
      });
    case 'memory':
      return calling({ name: 'memory', args: { action: 'add', content: `note ${round}` } });
    case 'text':
      return answer('The answer.');
    case 'json':
      return answer(`\`\`\`json\n${JSON.stringify({ command: { name: 'look', args } })}\n\`\`\` I do that.`);
    case 'broken':
      return answer('{"thoughts": {"text": "t"}, "command": {"name": "keep", "args": {"n":');
    case 'prose':
      return answer(settings.style === 'json' ? 'I would rather talk.' : '{"command": "look"}');
    case 'cut':
      return { ...call('keep'), stop: 'length' };
    case 'refusal':
      return { ...answer(''), stop: 'refusal' };
    case 'fails':
      return failing('overloaded', 'TRANSIENT');
    case 'finish':
      return calling({ name: 'finish', args: { answer: 'Finished.' } });
    default:
      return call(move);
  }
}

function sayOfCall(
  { hooks }: Shape,
  when: 'before' | 'after',
  tool: string,
): { failure?: Failure; value?: Json } {
  if (hooks === 'block' && when === 'before' && tool === 'todo')
    return { failure: { code: 'policy_denied', class: 'POLICY', message: 'preToolCall: no list' } };
  return when === 'after' && tool === 'delegate' ? { value: 'as the hook says' } : {};
}

function worldOf(shape: Shape): World {
  return {
    tools: [...TOOLS, FORBIDDEN],
    grant: {
      tools: [...TOOLS.map(({ name }) => name), 'todo', 'memory', 'delegate'],
      iterations: shape.iterations,
      approve: 'write',
    },
    ...(shape.hooks === 'none' ? {} : { hook: (when, tool) => sayOfCall(shape, when, tool) }),
    settings: { style: shape.style, rounds: 8, childIterations: 4 },
    environment: { windowTokens: shape.windowTokens },
    model: {
      think: (_ask: AgentAsk, agent: AgentState) => think(shape, agent),
      score: () => (Number.isNaN(shape.score) ? 'about 0,9' : JSON.stringify({ completion: shape.score })),
      repair: () => '{"command": {"name": "look", "args": {"n": 9}}}',
    },
    call: (tool, args) => {
      if (tool === 'bad') return failing('never works');
      if (tool === 'busy') return failing('busy', 'TRANSIENT');
      return tool === 'count' ? (args as { n: number }).n : `${tool}: ${hashJson(args)} ${'x'.repeat(1500)}`;
    },
    person: ({ question, args, tool }) =>
      question === 'in_doubt'
        ? { decision: 'done', value: `${tool}: ${hashJson(args)} ${'x'.repeat(1500)}` }
        : shape.consent === 'approved'
          ? { decision: 'approved', next: shape.next }
          : { decision: 'denied', reason: 'not now' },
  };
}

describe('agents', () => {
  it('end, ask what providers take, keep to their grant and their slots', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const world = new AgentWorld(worldOf(shape), { slots: shape.slots }).run();
        expect(world.agent().phase).toBe('ended');
        for (const { purpose, messages } of world.asks) {
          expect({ purpose, faults: chatFaults(messages) }).toEqual({ purpose, faults: [] });
        }
        expect(Math.max(0, ...world.slots)).toBeLessThanOrEqual(shape.slots);
        const grants = new Map(world.only('agent.started').map(({ agent, grant }) => [agent, grant]));
        for (const effect of world.effects) {
          if (effect.kind !== 'callAgentTool') continue;
          expect(grants.get(effect.agent)?.tools).toContain(effect.tool);
          expect(TOOLS.map(({ name }) => name)).toContain(effect.tool);
        }
        expect(world.only('round.started').length).toBeLessThanOrEqual(shape.iterations);
        expect(world.only('agent.finished')).toHaveLength(world.only('agent.started').length);
        for (const event of world.events) {
          const part = Object.entries(agentEventParts).find(([type]) => type === event.type)?.[1];
          const { type, at, ...fields } = event;
          if (part !== undefined)
            expect({ type, at, ...z.strictObject(part.shape).parse(fields) }).toEqual(event);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('give each call one outcome and the history its one result, in call order', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const world = new AgentWorld(worldOf(shape), { slots: shape.slots }).run();
        for (const { calls, agent, round } of world.only('turn.read')) {
          const observed = world
            .only('round.observed')
            .filter((event) => event.agent === agent && event.round === round);
          expect(observed.flatMap(({ results }) => results.map(({ key }) => key))).toEqual(
            calls.map(({ key }) => key),
          );
        }
        // What is stored needs no repair, but where a turn could not be read or had arguments that are none.
        const { messages } = world.agent();
        const faults = chatFaults(messages).filter(
          (fault) => !/two users|arguments that are no object/.test(fault),
        );
        expect(faults).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('are told by their log: folded anew it gives the same state', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const world = new AgentWorld(worldOf(shape), { slots: shape.slots }).run();
        const again = new AgentWorld(worldOf(shape), { slots: shape.slots, events: world.events });
        // The other was taken up by a process, too.
        resumeCrew(world.crew);
        expect(plain(again.crew)).toEqual(plain(world.crew));
        again.decideAll();
        expect(again.events).toHaveLength(world.events.length);
      }),
      { numRuns: 100 },
    );
  });

  it('come to the same end wherever they crash, and never make an irreversible call twice', () => {
    fc.assert(
      // Children that compete for the last turns of their parent may get them in another order.
      fc.property(
        shapes.map((shape) => ({ ...shape, iterations: 500 })),
        fc.nat(),
        (shape, at) => {
          const world = new AgentWorld(worldOf(shape), { slots: shape.slots }).run();
          const end = 1 + (at % world.events.length);
          const resumed = new AgentWorld(worldOf(shape), {
            slots: shape.slots,
            events: world.events.slice(0, end),
          }).run();
          expect(resumed.agent().finished).toMatchObject({
            reason: world.agent().finished?.reason,
            status: world.agent().finished?.status,
          });
          expect(resumed.agent().messages).toEqual(world.agent().messages);
          expect(resumed.agent().todos).toEqual(world.agent().todos);
          const sent = resumed.only('call.started').filter(({ tool }) => tool === 'send');
          expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length);
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** A crew as plain data, to compare. */
function plain(crew: AgentCrew): Json {
  return JSON.parse(
    JSON.stringify([...crew], (_key, value: unknown) => (value instanceof Map ? [...value] : value)),
  ) as Json;
}
