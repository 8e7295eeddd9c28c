import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json } from '../../../src/kernel/json.ts';
import { extractJson } from '../../../src/kernel/json-text.ts';

const hasScore = (value: Json): boolean => isJsonObject(value) && Object.hasOwn(value, 'score');
const extract = (text: string) => extractJson(text, hasScore);

function valueOf(text: string): Json | undefined {
  const result = extract(text);
  return 'value' in result ? result.value : undefined;
}

function problemOf(text: string): string | undefined {
  const result = extract(text);
  return 'problem' in result ? result.problem : undefined;
}

describe('takes', () => {
  it.each([
    ['bare', '{"score": 1}'],
    ['fenced', 'Here:\n```json\n{"score": 1}\n```\nDone.'],
    ['in a fence that is not closed', '```json\n{"score": 1}'],
    ['in prose with brackets', 'See [1], {this} and [0, 1): {"score": 1} (it [sic] fits).'],
    ['after thinking', '<think>{"score": 0} {"score": </think>\n{"score": 1}'],
    ['after two thoughts', ' <thinking>{"score": 0}</thinking><think>no</think>{"score": 1}'],
    ['after a thought without a beginning', 'so {"score": 0} or\n</think>\n{"score": 1}'],
    ['beside an example', '{"issues": []} is not enough: {"score": 1}'],
    ['beside an elided example', 'Form: {"score": ..., "issues": [...]}\n{"score": 1}'],
    ['twice the same', '{"score": 1}\n```json\n{ "score":1 }\n```'],
    ['with trailing commas', '{"score": 1,}'],
    ['with comments', '{/* { */ "score": 1 // it\'s }\n}'],
    ['with single quotes', "{'score': 1}"],
    ['with curly quotes', '{“score”: 1}'],
    ['with bare keys', '{score: 1}'],
  ])('a document %s', (_, text) => {
    expect(valueOf(text)).toEqual({ score: 1 });
  });

  it.each([
    ['{"score": "a } b { c \\" ] d"}', 'a } b { c " ] d'],
    ['{"score": "</think>"}', '</think>'],
    ['{"score": "```"}', '```'],
    ['{"score": "it\'s // no comment"}', "it's // no comment"],
    ['{"score": "line\nbreak"}', 'line\nbreak'],
    ["{'score': 'say \"x\"'}", 'say "x"'],
    ['{"score": "https://x.org/[1]",}', 'https://x.org/[1]'],
  ])('the string of %j as it is', (text, expected) => {
    expect(valueOf(text)).toEqual({ score: expected });
  });

  it('the only document where none has the shape', () => {
    expect(valueOf('I say {"issues": []}.')).toEqual({ issues: [] });
    expect(valueOf('[{"issues": []}]')).toEqual([{ issues: [] }]);
  });

  it('a key named __proto__ as a key', () => {
    const value = valueOf('{"score": 1, "__proto__": {"x": 1}}');
    expect(Object.keys(value as object)).toEqual(['score', '__proto__']);
    expect((value as { x?: unknown }).x).toBeUndefined();
  });

  it('a number beyond the range of JSON as infinite', () => {
    expect(valueOf('{"score": 1e999}')).toEqual({ score: Infinity });
  });
});

describe('refuses', () => {
  it.each([
    ['prose', 'I cannot say.'],
    ['nothing', ''],
    ['a scalar', '7'],
    ['a list of numbers', 'as in [1] and [2, 3]'],
    ['a bracket closed by another', '{"score": [1, 2}'],
    ['a bracket that is missing in the middle', '{"score": {"a": [1}, "b": 2}'],
    ['a quote inside a string', '{"score": "he said "hi" to me"}'],
    ['an apostrophe inside single quotes', "{'score': 'it's'}"],
    ['a nesting that is too deep', `{"score": ${'['.repeat(600)}1${']'.repeat(600)}}`],
  ])('%s', (_, text) => {
    expect(problemOf(text)).toMatch(/^(not_json|truncated_json)$/);
  });

  it.each([
    ['in a string', '{"score": 1, "note": "ab'],
    ['behind a value', '{"score": 1'],
    ['behind a comma', '{"score": 1,'],
    ['in a key', '{"sco'],
    ['at its bracket', 'The answer: {'],
    ['in a list', '[{"score": 1}, '],
    ['behind a whole one', '{"score": 1} or better {"score": '],
    ['in a single-quoted string', "{'score': 1, 'note': 'ab"],
    ['in a comment', '{"score": 1 /* ab'],
    ['with a whole document inside', '{"note": {"score": 1}, "x": "'],
    ['in its thinking', '<think>first {"score": 1}'],
    ['by an ellipsis', '{"score": 1, ...}'],
    ['by an ellipsis in a comment', '{"score": [1 // ... and so on\n]}'],
  ])('a document that is cut off %s as truncated', (_, text) => {
    expect(problemOf(text)).toBe('truncated_json');
  });

  it('two documents of the shape, and two where none has it', () => {
    expect(problemOf('{"score": 1} {"score": 2}')).toBe('ambiguous_json');
    expect(problemOf('{"a": 1} {"b": 2}')).toBe('ambiguous_json');
  });

  it('a broken document beside a whole one, since it may be the one that is meant', () => {
    expect(problemOf('{"score": 1} or {"score": [2}')).toBe('not_json');
  });

  it('with the line and column', () => {
    const result = extract('Hm.\n  {"score": [1}');
    expect('problem' in result && result.message).toBe(
      'broken JSON at line 2, column 15: } where ] is expected',
    );
  });
});

describe('keys that stand twice', () => {
  it.each([
    ['{"score": 1, "score": 2}', ['/score']],
    ['{"score": [{"a": 1}, {"a": 1, "b": {"c/d": 1, "c\\/d": 2}}]}', ['/score/1/b/c~1d']],
    ['{"score": {"x": 1}, "b": {"x": 1}}', []],
    ['{"score": "\\":{,\\"", "b": ":"}', []],
    ["{'score': 1, 'score': 2,}", ['/score']],
    ['{"score": 1, "__proto__": 1, "__proto__": 2}', ['/__proto__']],
  ])('in %s are named', (text, expected) => {
    expect(extract(text)).toMatchObject({ duplicateKeys: expected });
  });
});

it('reads hostile texts in time that grows with their length', () => {
  for (const piece of [
    '{',
    '[',
    '{"a',
    '{"a":',
    '[[',
    '{ ',
    '"',
    '\\"',
    '{"a":1}',
    '</think>',
    '{"a"',
    "{'",
    '{a:',
    '/*',
    '...',
  ]) {
    expect(() => extract(piece.repeat(20_000))).not.toThrow();
  }
});
