import { describe, expect, it } from 'vitest';
import type { Tool, ToolEffect } from '../../../src/contracts/tool.ts';
import { Catalogue } from '../../../src/tools/catalogue.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { policyProblems } from '../../../src/tools/policy.ts';

const EVERYTHING = { deny: [], effects: ['read', 'write', 'irreversible'] as ToolEffect[] };

function make(name: string, effect: ToolEffect = 'read', origin?: string): Tool {
  const tool = defineTool({ name, description: name, input: true, costHint: 0, effect, run: () => null });
  return origin === undefined ? tool : { ...tool, origin };
}

describe('Catalogue', () => {
  it('publishes the same hash whatever the order, and another when a tool changes', () => {
    const first = new Catalogue([make('a'), make('b')]);
    const second = new Catalogue([make('b'), make('a')]);
    expect(first.publish(EVERYTHING)).toEqual(second.publish(EVERYTHING));
    second.remove('b');
    expect(second.publish(EVERYTHING).hash).not.toBe(first.publish(EVERYTHING).hash);
    second.add(make('b', 'write'));
    expect(second.publish(EVERYTHING).hash).not.toBe(first.publish(EVERYTHING).hash);
  });

  it('refuses a second tool of one name, naming both origins', () => {
    const catalogue = new Catalogue([make('a', 'read', '/x/tools.ts')]);
    expect(() => catalogue.add(make('a', 'read', '/x/more.ts'))).toThrow(
      expect.objectContaining({
        code: 'tool_conflict',
        message: 'two tools are called "a": one of /x/tools.ts, one of /x/more.ts',
      }),
    );
    expect(() => catalogue.add(make('a'))).toThrow('one of this program');
  });

  it('refuses to isolate a tool that no module holds', () => {
    const tool = make('a');
    const isolated = { ...tool, spec: { ...tool.spec, isolate: true } };
    expect(() => new Catalogue([isolated])).toThrow(expect.objectContaining({ code: 'tool_invalid' }));
    expect(new Catalogue([{ ...isolated, origin: '/x/tools.ts' }]).names()).toEqual(['a']);
  });

  it('finds and removes', () => {
    const catalogue = new Catalogue([make('a')]);
    expect(catalogue.find('a')?.spec.name).toBe('a');
    expect(catalogue.find('__proto__')).toBeUndefined();
    expect([catalogue.remove('a'), catalogue.remove('a')]).toEqual([true, false]);
  });

  it('withholds what policy does not grant', () => {
    const catalogue = new Catalogue([make('c', 'irreversible'), make('a'), make('b', 'write'), make('d')]);
    const names = (policy: Parameters<Catalogue['publish']>[0]): string[][] => {
      const { tools, withheld } = catalogue.publish(policy);
      return [tools.map(({ name }) => name), [...withheld]];
    };
    expect(names(EVERYTHING)).toEqual([['a', 'b', 'c', 'd'], []]);
    expect(names({ ...EVERYTHING, effects: ['read'] })).toEqual([
      ['a', 'd'],
      ['b', 'c'],
    ]);
    expect(names({ ...EVERYTHING, allow: ['a', 'b'], deny: ['b'] })).toEqual([['a'], ['b', 'c', 'd']]);
    expect(names({ ...EVERYTHING, allow: [] })).toEqual([[], ['a', 'b', 'c', 'd']]);
  });
});

describe('policyProblems', () => {
  it('names unknown tools with what may have been meant', () => {
    expect(
      policyProblems({ ...EVERYTHING, allow: ['read_file'], deny: ['raed_file', 'zzz'] }, ['read_file']),
    ).toEqual([
      {
        path: ['policy', 'deny', 0],
        tool: 'raed_file',
        message: 'no tool is called "raed_file"',
        hint: 'did you mean read_file?',
      },
      { path: ['policy', 'deny', 1], tool: 'zzz', message: 'no tool is called "zzz"' },
    ]);
  });
});
