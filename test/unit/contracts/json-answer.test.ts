import { describe, expect, it } from 'vitest';
import { readJsonAnswer } from '../../../src/contracts/json-answer.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
};

describe('readJsonAnswer', () => {
  it.each([
    ['bare', '{"n":1}'],
    ['fenced', 'Here it is:\n```json\n{"n":1}\n```\nDone.'],
    ['with a trailing comma', '{"n":1,}'],
  ])('reads JSON that is %s', (_, text) => {
    expect(readJsonAnswer(text, schema)).toEqual({ ok: true, value: { n: 1 } });
  });

  it('reads a number or a text where the schema asks for one', () => {
    expect(readJsonAnswer(' 4 ', { type: 'number' })).toEqual({ ok: true, value: 4 });
    expect(readJsonAnswer('"a"', { type: 'string' })).toEqual({ ok: true, value: 'a' });
  });

  it.each([
    ['prose', 'I would rather not.'],
    ['a document cut off', '{"n":1'],
    ['two documents', '{"n":1} {"n":2}'],
    ['a key that stands twice', '{"n":1,"n":2}'],
    ['another type', '{"n":"1"}'],
    ['a key too many', '{"n":1,"m":2}'],
    ['a number beyond JSON', '{"n":1e999}'],
    ['nothing', ''],
    ['an abyss', '{"n":'.repeat(9000) + '1' + '}'.repeat(9000)],
  ])('refuses %s', (_, text) => {
    const read = readJsonAnswer(text, schema);
    expect(read.ok).toBe(false);
    expect(read.ok ? [] : read.issues).not.toEqual([]);
  });

  it('says where an answer breaks the schema', () => {
    expect(readJsonAnswer('{"n":"1"}', schema)).toMatchObject({ ok: false, issues: [{ pointer: '/n' }] });
  });
});
