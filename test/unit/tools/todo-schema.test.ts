import { expect, it } from 'vitest';
import { createTodo } from '../../../src/tools/builtin/todo.ts';

it('says of each field of an item what it is', () => {
  const { input } = createTodo({}).spec;
  expect(input).toMatchObject({
    properties: {
      todos: {
        items: {
          properties: {
            id: { description: expect.any(String) as string },
            content: { description: expect.any(String) as string },
            status: { description: expect.any(String) as string },
          },
        },
      },
    },
  });
});
