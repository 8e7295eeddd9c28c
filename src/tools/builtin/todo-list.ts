import type { Todo } from '../../contracts/agent.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';

/** Most steps of one list. */
export const MOST_TODOS = 100;

/** The list of steps of one run. Each call of its tool logs the whole list, from which a later process takes it up. */
export class TodoList {
  #items: readonly Todo[] = [];

  get items(): readonly Todo[] {
    return this.#items;
  }

  /** Puts other steps in the place of all, or of those of the same id; false, and nothing done, where they are too many. */
  write(todos: readonly Todo[], isMerge: boolean): boolean {
    const kept = isMerge ? this.#items : [];
    const changed = new Map(todos.map((todo) => [todo.id, todo]));
    const known = new Set(kept.map(({ id }) => id));
    const items = [
      ...kept.map((todo) => changed.get(todo.id) ?? todo),
      ...todos.filter(({ id }) => !known.has(id)),
    ];
    if (items.length > MOST_TODOS) return false;
    this.#items = items;
    return true;
  }

  /** Takes the list up from what a call of its tool has returned. */
  restore(result: Json): void {
    const todos = isJsonObject(result) ? result['todos'] : undefined;
    if (Array.isArray(todos)) this.#items = todos;
  }
}
