import { z } from 'zod';
import { TODO_STATES } from '../../contracts/agent.ts';
import type { Tool } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, shelfOf } from './builtin-settings.ts';
import { MOST_TODOS } from './todo-list.ts';

const todoSchema = z.strictObject({
  id: z.string().min(1).max(64),
  content: z.string().min(1).max(1000),
  status: z.enum(TODO_STATES),
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
        .array(todoSchema)
        .max(MOST_TODOS)
        .optional()
        .describe('The steps to write, each with id, content and status; without it the list is only read.'),
      merge: z
        .boolean()
        .default(false)
        .describe('Change or add these steps and keep the others; else they take the place of the list.'),
    }),
    output: z.strictObject({ todos: z.array(todoSchema), open: z.int().nonnegative() }),
    costHint: 0.1,
    effect: 'write',
    idempotent: true,
    timeoutMs: 10_000,
    run({ todos, merge }) {
      const twice = todos?.find(({ id }, index) => todos.findIndex((other) => other.id === id) !== index);
      if (twice !== undefined) {
        throw new ToolError('TOOL_MISUSE', `the id ${JSON.stringify(twice.id)} stands twice`);
      }
      if (todos !== undefined && !list.write(todos, merge)) {
        throw new ToolError('TOOL_MISUSE', `the list would have more than ${MOST_TODOS} steps`);
      }
      const open = list.items.filter(({ status }) => status === 'pending' || status === 'in_progress');
      return { todos: [...list.items], open: open.length };
    },
  });
}
