import { describe, expect, it } from 'vitest';
import { balanceBrackets, nullNonNumbers } from '../../../src/agent/mend-json.ts';
import { readCommand } from '../../../src/agent/read-command.ts';
import { readTurn, type TurnContext } from '../../../src/agent/read-turn.ts';
import { suggestTool } from '../../../src/agent/suggest-tool.ts';
import { calling } from '../../support/agent-world.ts';
import { answer } from '../../support/core.ts';

const SEARCH = { kind: 'command', name: 'search', args: { query: 'x' }, thoughts: {} };

describe('readCommand', () => {
  it.each([
    ['plain', '{"command": {"name": "search", "args": {"query": "x"}}}'],
    [
      'fenced, with prose behind it',
      '```json\n{"command": {"name": "search", "args": {"query": "x"}}}\n```\nI will do that.',
    ],
    ['with stray tabs', '{\t"command":\t{"name": "search",\t"args": {"query":\t"x"}}}'],
    ['in single quotes', "{'command': {'name': 'search', 'args': {'query': 'x'}}}"],
    ['one brace short', '{"command": {"name": "search", "args": {"query": "x"}}'],
    ['two braces short, fenced', '```json\n{"command": {"name": "search", "args": {"query": "x"}\n```'],
    [
      'one brace short, with prose behind it',
      '{"command": {"name": "search", "args": {"query": "x"}} I do that now',
    ],
    ['a brace too many', '{"command": {"name": "search", "args": {"query": "x"}}}}'],
    ['with a trailing comma', '{"command": {"name": "search", "args": {"query": "x",},},}'],
    ['after its thinking', '<think>{maybe}</think>\n{"command": {"name": "search", "args": {"query": "x"}}}'],
    ['with comments', '{"command": {"name": "search", /* now */ "args": {"query": "x"}}}'],
  ])('reads a command %s', (_what, text) => {
    expect(readCommand(text, true)).toEqual(SEARCH);
  });

  it('reads None and NaN as null, and leaves them alone in texts', () => {
    const text =
      '{"command": {"name": "search", "args": {"a": None, "b": NaN, "c": -Infinity, "d": "None, NaN", "yes": True}}}';
    expect(readCommand(text, true)).toMatchObject({
      args: { a: null, b: null, c: null, d: 'None, NaN', yes: true },
    });
  });

  it('shows every kind of thought, a list of them too', () => {
    const thoughts = {
      text: 't',
      reasoning: 'r',
      plan: ['one', 'two'],
      criticism: 'c',
      speak: 's',
      other: 'o',
    };
    expect(readCommand(JSON.stringify({ thoughts, command: { name: 'a' } }), true)).toEqual({
      kind: 'command',
      name: 'a',
      args: {},
      thoughts: { text: 't', reasoning: 'r', plan: '- one\n- two', criticism: 'c', speak: 's' },
    });
  });

  it.each([
    ['cut within its arguments', '{"command": {"name": "rm", "args": {"path": "a"'],
    ['cut before its arguments', '{"command": {"name": "rm"'],
    ['cut within a text', '{"command": {"name": "rm", "args": {"path": "/tm'],
    ['cut behind a comma', '{"command": {"name": "rm", "args": {"path": "/tmp"},'],
    ['with brackets crossed', '{"command": {"name": "rm", "args": ["a"}}'],
    ['without a name', '{"command": {"args": {}}}'],
    ['with a text for a command', '{"thoughts": {"text": "t"}, "command": "rm -r"}'],
    ['without a command', '{"thoughts": {"text": "t"}}'],
    ['with a name twice', '{"command": {"name": "ls", "args": {}, "name": "rm"}}'],
    [
      'two different ones',
      '{"command": {"name": "ls", "args": {}}}\n{"command": {"name": "rm", "args": {}}}',
    ],
    ['with what was left out', '{"command": {"name": "rm", "args": {"path": "a", ...}}}'],
    ['with a number beyond JSON', '{"command": {"name": "rm", "args": {"n": 1e999}}}'],
  ])('takes no command that is %s', (_what, text) => {
    expect(readCommand(text, true).kind).toBe('broken');
  });

  it('runs nothing that is only quoted in an answer', () => {
    const text = 'The format is this: {"command": {"name": "rm", "args": {}}}';
    expect(readCommand(text, true)).toEqual({ kind: 'none' });
    expect(readCommand(text, false)).toMatchObject({ kind: 'command', name: 'rm' });
  });

  it('takes an answer that is JSON of its own for no command', () => {
    expect(readCommand('{"result": 5}', true)).toEqual({ kind: 'none' });
  });
});

describe('mending', () => {
  it('closes brackets, never texts', () => {
    expect(balanceBrackets('{"a": {"b": [1]', 2)).toBe('{"a": {"b": [1]}}');
    expect(balanceBrackets('{"a": {"b": [1', 2)).toBeNull();
    expect(balanceBrackets('{"a": "b', 5)).toBeNull();
    expect(balanceBrackets('{"a": 1, "b": {"c": 2} and, so on', 5)).toBeNull();
    expect(balanceBrackets('nothing', 5)).toBeNull();
  });

  it('leaves words alone that only begin like a literal', () => {
    expect(nullNonNumbers('[NaNa, Nones, x.NaN, "it\\"s NaN", NaN]')).toBe(
      '[NaNa, Nones, x.NaN, "it\\"s NaN", null]',
    );
  });
});

describe('readTurn', () => {
  const context = (more: Partial<TurnContext> = {}): TurnContext => ({
    style: 'tools',
    usedIds: new Set(),
    callsPerTurn: 3,
    idFor: (index) => `own_${index}`,
    ...more,
  });

  it('runs nothing of a turn that was cut off, refused or empty', () => {
    const cut = { ...calling({ name: 'rm' }), stop: 'length' as const };
    for (const turn of [cut, { ...answer('no'), stop: 'refusal' as const }, answer(' ')]) {
      expect(readTurn(turn, context())).toMatchObject({ kind: 'unreadable', isRepairable: false });
    }
  });

  it('gives a call whose id is taken or missing one of its own, and takes a copy for the same call', () => {
    const turn = calling(
      { name: 'a', id: 'old' },
      { name: 'b', id: '' },
      { name: 'c', id: 'x' },
      { name: 'c', id: 'x' },
    );
    expect(readTurn(turn, context({ usedIds: new Set(['old']) }))).toMatchObject({
      calls: [
        { id: 'own_0', name: 'a' },
        { id: 'own_1', name: 'b' },
        { id: 'x', name: 'c' },
      ],
    });
  });

  it('runs none of too many calls', () => {
    const turn = calling(...Array.from({ length: 4 }, (_, n) => ({ name: 'a', args: { n } })));
    expect(readTurn(turn, context())).toMatchObject({
      kind: 'unreadable',
      problem: '4 tool calls in one turn; at most 3 are taken',
    });
  });

  it('takes prose for an answer, but not of a model that must command', () => {
    expect(readTurn(answer(' Done. '), context())).toEqual({ kind: 'answer', text: 'Done.' });
    expect(readTurn(answer('Done.'), context({ style: 'json' }))).toMatchObject({
      kind: 'unreadable',
      isRepairable: false,
    });
  });
});

describe('suggestTool', () => {
  it.each([
    ['serch', 'search'],
    ['google', 'search'],
    ['readFile', 'read_file'],
    ['cat', 'read_file'],
    ['execute-shell', 'run_shell'],
    ['task_complete', 'finish'],
    ['launch_rocket', null],
  ])('%s → %s', (name, wanted) => {
    expect(suggestTool(name, ['search', 'read_file', 'run_shell', 'finish'])).toBe(wanted);
  });
});
