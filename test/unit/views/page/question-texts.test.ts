import { expect, it } from 'vitest';
import type { EventOf } from '../../../../src/flight/events.ts';
import { choicesOf, questionTitle, writtenPart } from '../../../../src/page/question-texts.ts';

type Question = EventOf<'approval.requested'>;

const asked = (question: Question['question'], args: Question['args']): Question => ({
  ...{ type: 'approval.requested', seq: 3, at: 0, node: 'n', tool: 'send', argsHash: '', plan: '' },
  ...{ question, args },
});

it.each<[Question['question'], title: string, answers: string[]]>([
  ['consent', 'n wants to call send', ['approve', 'change', 'deny']],
  ['in_doubt', 'Nobody knows whether n has called send', ['again', 'done', 'deny']],
  ['plan', 'The new plan reaches further than the one before', ['approve', 'deny']],
  ['answer', 'n asks you', ['done', 'deny']],
])('a question of kind %s has a title and its answers', (kind, title, answers) => {
  expect(questionTitle(asked(kind, {}))).toBe(title);
  expect(choicesOf({ question: kind }).map(({ value }) => value)).toEqual(answers);
});

it('a question about a call of an agent names the agent, and says what a denial means to it', () => {
  const call = { ...asked('consent', {}), node: 'work/1/3', call: 'work/1/3' };
  expect(questionTitle(call)).toBe('The agent work/1 wants to call send');
  expect(questionTitle({ ...call, question: 'in_doubt' })).toBe(
    'Nobody knows whether the agent work/1 has called send',
  );
  expect(choicesOf(call).at(-1)?.note).toBe('It is not made, and the agent is told why.');
  expect(choicesOf(asked('consent', {})).at(-1)?.note).toContain('plan');
});

it('what is written is what was asked for', () => {
  const tool = { input: { type: 'object' }, output: { type: 'number' } } as never;
  expect(writtenPart(asked('consent', { to: 'x' }), tool)).toMatchObject({
    schema: { type: 'object' },
    value: { to: 'x' },
  });
  expect(writtenPart(asked('in_doubt', {}), tool)).toMatchObject({ schema: { type: 'number' } });
  expect(writtenPart(asked('answer', { choices: ['a', 'b'] }), undefined)).toMatchObject({
    ...{ label: 'Your answer', schema: { type: 'string', enum: ['a', 'b'] }, value: undefined },
  });
  expect(writtenPart(asked('answer', { schema: { type: 'integer' } }), tool).schema).toEqual({
    type: 'integer',
  });
  expect(writtenPart(asked('answer', {}), undefined).schema).toMatchObject({ type: 'string' });
});
