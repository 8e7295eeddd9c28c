import { z } from 'zod';
import { MOST_TODOS, openTodos, todoItemSchema } from '../../contracts/todo-items.ts';
import type { Tool } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, shelfOf } from './builtin-settings.ts';

const { id, content, status } = todoItemSchema.shape;
const itemSchema = z.strictObject({
  id: id.describe('A short name of the step; no two steps have the same.'),
  content: content.describe('What is to be done, in one sentence.'),
  status: status.describe('How far it is.'),
});

/** Built-in `todo`: the run's own list of what is to be done; each call gives the whole of it. */
export function createTodo(settings: BuiltinSettings): Tool {
  const { todos: list } = shelfOf(settings);
  return defineTool({
    name: 'todo',
    description:
      "Keeps the run's list of what is to be done: writes steps where some are given, and returns the whole list.",
    input: z.strictObject({
      todos: z
        .array(itemSchema)
        .max(MOST_TODOS)
        .optional()
        .describe('The steps to write, each with id, content and status; without it the list is only read.'),
      merge: z
        .boolean()
        .default(false)
        .describe('Change or add these steps and keep the others; else they take the place of the list.'),
    }),
    output: z.strictObject({ todos: z.array(itemSchema), open: z.int().nonnegative() }),
    costHint: 0.1,
    effect: 'write',
    idempotent: true,
    timeoutMs: 10_000,
    run({ todos, merge }) {
      const written = todos === undefined ? null : list.write(todos, merge);
      if (written?.ok === false) {
        const problem =
          written.fault === 'twice'
            ? `the id ${JSON.stringify(written.id)} stands twice`
            : `the list would have more than ${MOST_TODOS} steps`;
        throw new ToolError('TOOL_MISUSE', problem);
      }
      return { todos: [...list.items], open: openTodos(list.items).length };
    },
  });
}
