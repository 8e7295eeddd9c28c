import { z } from 'zod';
import { TODO_STATES, type Todo } from '../contracts/agent.ts';
import { toJsonSchema } from '../contracts/schema.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { LocalOutcome } from './local-outcome.ts';
import { refuseLocal } from './local-outcome.ts';

const MOST_TODOS = 100;

const todoSchema = z.strictObject({
  id: z.string().min(1).max(64),
  content: z.string().min(1).max(1000),
  status: z.enum(TODO_STATES),
});

const argsSchema = z.strictObject({
  todos: z
    .array(todoSchema)
    .max(MOST_TODOS)
    .optional()
    .meta({ description: 'The items to write; without it the list is only read.' }),
  merge: z
    .boolean()
    .optional()
    .meta({ description: 'Change or add these items and keep the others; else the list is replaced.' }),
});

/** The arguments of the todo tool. */
export const TODO_INPUT: JsonObject = toJsonSchema(argsSchema);

/** What a call of the todo tool does to the list; the list stays as it was where its arguments are wrong. */
export function applyTodo(todos: readonly Todo[], args: Json): LocalOutcome<readonly Todo[]> {
  const parsed = argsSchema.safeParse(args);
  if (!parsed.success) return refuseLocal(describe(parsed.error), { todos: todos as unknown as Json });
  const { todos: written, merge = false } = parsed.data;
  if (written === undefined) return { ok: true, state: todos, value: view(todos) };
  const twice = written.find(({ id }, index) => written.findIndex((other) => other.id === id) !== index);
  if (twice !== undefined) return refuseLocal(`the id ${JSON.stringify(twice.id)} stands twice`, {});
  const state = merge ? mergeTodos(todos, written) : written;
  if (state.length > MOST_TODOS) return refuseLocal(`at most ${MOST_TODOS} items`, { items: todos.length });
  return { ok: true, state, value: view(state) };
}

function mergeTodos(todos: readonly Todo[], written: readonly Todo[]): readonly Todo[] {
  const changed = new Map(written.map((todo) => [todo.id, todo]));
  const kept = todos.map((todo) => changed.get(todo.id) ?? todo);
  const known = new Set(todos.map(({ id }) => id));
  return [...kept, ...written.filter(({ id }) => !known.has(id))];
}

function view(todos: readonly Todo[]): Json {
  const count = (wanted: Todo['status']): number => todos.filter(({ status }) => status === wanted).length;
  return {
    todos: todos.map((todo) => ({ ...todo })),
    summary: Object.fromEntries(TODO_STATES.map((status) => [status, count(status)])),
  };
}

/** The items that are still to be done. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status === 'pending' || status === 'in_progress');
}

function describe(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'not as the schema says'}`;
}
