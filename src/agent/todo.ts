import { z } from 'zod';
import { TODO_STATES, type Todo } from '../contracts/agent.ts';
import { MOST_TODOS, todoItemSchema, writeTodos } from '../contracts/todo-items.ts';
import type { Json } from '../kernel/json.ts';
import type { LocalOutcome } from './local-outcome.ts';
import { refuseLocal } from './local-outcome.ts';

/** The arguments of the todo tool. */
export const todoArgsSchema = z.strictObject({
  todos: z
    .array(todoItemSchema)
    .max(MOST_TODOS)
    .optional()
    .meta({ description: 'The items to write; without it the list is only read.' }),
  merge: z
    .boolean()
    .optional()
    .meta({ description: 'Change or add these items and keep the others; else the list is replaced.' }),
});

/** What a call of the todo tool does to the list; the list stays as it was where its arguments are wrong. */
export function applyTodo(todos: readonly Todo[], args: Json): LocalOutcome<readonly Todo[]> {
  const parsed = todoArgsSchema.safeParse(args);
  if (!parsed.success) return refuseLocal(describe(parsed.error), { todos: todos as unknown as Json });
  const { todos: written, merge = false } = parsed.data;
  if (written === undefined) return { ok: true, state: todos, value: view(todos) };
  const next = writeTodos(todos, written, merge);
  if (next.ok) return { ok: true, state: next.todos, value: view(next.todos) };
  return next.fault === 'twice'
    ? refuseLocal(`the id ${JSON.stringify(next.id)} stands twice`, {})
    : refuseLocal(`at most ${MOST_TODOS} items`, { items: todos.length });
}

function view(todos: readonly Todo[]): Json {
  const count = (wanted: Todo['status']): number => todos.filter(({ status }) => status === wanted).length;
  return {
    todos: todos.map((todo) => ({ ...todo })),
    summary: Object.fromEntries(TODO_STATES.map((status) => [status, count(status)])),
  };
}

function describe(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'not as the schema says'}`;
}
