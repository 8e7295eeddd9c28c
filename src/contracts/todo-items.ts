import { z } from 'zod';
import { TODO_STATES, type Todo } from './agent.ts';

/** Most items of one list of what is to be done. */
export const MOST_TODOS = 100;

/** One item of such a list. */
export const todoItemSchema = z.strictObject({
  id: z.string().min(1).max(64),
  content: z.string().min(1).max(1000),
  status: z.enum(TODO_STATES),
});

/** The list after items were written, or why it stays as it was: an id that stands twice, or too many items. */
export type WrittenTodos =
  | { readonly ok: true; readonly todos: readonly Todo[] }
  | { readonly ok: false; readonly fault: 'twice'; readonly id: string }
  | { readonly ok: false; readonly fault: 'too_many' };

/** Puts items in the place of all, or, to merge, of those of the same id; new ones come last. */
export function writeTodos(todos: readonly Todo[], written: readonly Todo[], isMerge: boolean): WrittenTodos {
  const changed = new Map(written.map((todo) => [todo.id, todo]));
  if (changed.size < written.length) {
    const twice = written.find((todo) => changed.get(todo.id) !== todo);
    return { ok: false, fault: 'twice', id: twice?.id ?? '' };
  }
  const kept = isMerge ? todos : [];
  const known = new Set(kept.map(({ id }) => id));
  const next = [
    ...kept.map((todo) => changed.get(todo.id) ?? todo),
    ...written.filter(({ id }) => !known.has(id)),
  ];
  return next.length > MOST_TODOS ? { ok: false, fault: 'too_many' } : { ok: true, todos: next };
}

/** The items that are still to be done. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status === 'pending' || status === 'in_progress');
}
