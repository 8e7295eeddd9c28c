import type { Todo } from '../../contracts/agent.ts';
import { type WrittenTodos, writeTodos } from '../../contracts/todo-items.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';

/** The list of steps of one run. Each call of its tool logs the whole list, from which a later process takes it up. */
export class TodoList {
  #items: readonly Todo[] = [];

  get items(): readonly Todo[] {
    return this.#items;
  }

  /** Puts other steps in the place of all, or of those of the same id; nothing is done where that cannot be. */
  write(todos: readonly Todo[], isMerge: boolean): WrittenTodos {
    const written = writeTodos(this.#items, todos, isMerge);
    if (written.ok) this.#items = written.todos;
    return written;
  }

  /** Takes the list up from what a call of its tool has returned. */
  restore(result: Json): void {
    const todos = isJsonObject(result) ? result['todos'] : undefined;
    if (Array.isArray(todos)) this.#items = todos;
  }
}
