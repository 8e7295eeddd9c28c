import { describe, expect, it } from 'vitest';
import type { AskRequest } from '../../../src/contracts/model.ts';
import { readSection } from '../../../src/contracts/section.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { codeOf } from '../../../src/tools/builtin/code-of.ts';
import type { BuiltinToolName } from '../../../src/tools/builtin/names.ts';
import { callBuiltin } from '../../support/builtin-call.ts';

async function ask(name: BuiltinToolName, args: Json, answer: string) {
  const asked: { role: string; request: AskRequest }[] = [];
  const result = await callBuiltin(name, args, {
    ask: (role, request) => {
      asked.push({ role, request });
      return Promise.resolve(answer);
    },
  });
  const section = (key: string): Json | undefined =>
    readSection({ messages: asked.map(({ request }) => ({ role: 'user', content: request.prompt })) }, key);
  return { result, asked, section };
}

it('summarize hands a text to the summarizer, with its focus', async () => {
  const { result, asked, section } = await ask('summarize', { text: 'long text', focus: 'prices' }, 'short');
  expect(result).toEqual({ summary: 'short', parts: 1, truncated: false });
  expect(asked.map(({ role }) => role)).toEqual(['summarizer']);
  expect([section('text'), section('focus')]).toEqual(['long text', 'prices']);
});

it('summarize reads a long text in parts', async () => {
  const { result, asked } = await ask('summarize', { text: 'word '.repeat(6000) }, 'note');
  expect(result).toEqual({ summary: 'note', parts: 3, truncated: false });
  expect(asked).toHaveLength(4);
});

it('a failed part fails the summary', async () => {
  const failing = callBuiltin(
    'summarize',
    { text: 'word '.repeat(6000) },
    { ask: () => Promise.reject(new Error('no answer')) },
  );
  await expect(failing).rejects.toThrow('no answer');
});

it('aggregate_report hands over every fact but those that are missing', async () => {
  const args = { task: 'Compare.', facts: [{ a: 1 }, null, 'b'], title: 'T', sections: ['One', 'Two'] };
  const { result, asked, section } = await ask('aggregate_report', args, '# T');
  expect(result).toBe('# T');
  expect(asked.map(({ role }) => role)).toEqual(['aggregator']);
  expect(section('facts')).toEqual([{ a: 1 }, 'b']);
  expect([section('task'), section('title'), section('sections')]).toEqual(['Compare.', 'T', ['One', 'Two']]);
});

describe('tools for code', () => {
  it('analyze_code asks for a list', async () => {
    const { result, asked, section } = await ask(
      'analyze_code',
      { code: 'x = 1', focus: 'names' },
      '{"suggestions":["Rename x."]}',
    );
    expect(result).toEqual({ suggestions: ['Rename x.'] });
    expect(asked[0]).toMatchObject({ role: 'coder', request: { format: { name: 'suggestions' } } });
    expect([section('code'), section('focus')]).toEqual(['x = 1', 'names']);
  });

  it('improve_code and write_tests return the code of the answer', async () => {
    const improved = await ask(
      'improve_code',
      { code: 'x', suggestions: ['y'] },
      'Here:\n```ts\nconst y = 1;\n```\n',
    );
    expect(improved.result).toEqual({ code: 'const y = 1;' });
    expect(improved.section('suggestions')).toEqual(['y']);
    const tests = await ask('write_tests', { code: 'x', focus: ['z'], framework: 'vitest' }, 'test()');
    expect(tests.result).toEqual({ code: 'test()' });
    expect([tests.section('focus'), tests.section('framework')]).toEqual([['z'], 'vitest']);
  });

  it('an answer without code breaks the output schema', async () => {
    await expect(ask('improve_code', { code: 'x', suggestions: ['y'] }, '```\n```')).rejects.toMatchObject({
      code: 'tool_output_invalid',
    });
  });
});

it.each([
  ['plain', 'plain'],
  ['```\na\n```', 'a'],
  ['```python\na\n\nb\n```\nwords', 'a\n\nb'],
  ['words\n~~~~\n```\na\n```\n~~~~', '```\na\n```'],
  ['```js\nnever closed', 'never closed'],
  ['a ``` b', 'a ``` b'],
])('the code of %j is %j', (answer, code) => {
  expect(codeOf(answer)).toBe(code);
});

it('task_complete passes its result on', async () => {
  expect(await callBuiltin('task_complete', { result: { a: [1] }, reason: 'done' })).toEqual({ a: [1] });
  expect(await callBuiltin('task_complete', { result: null })).toBeNull();
});
