import type { ToolMemory } from '../../contracts/memory.ts';
import { BackgroundPrograms } from '../sandbox/background-programs.ts';
import { TodoList } from './todo-list.ts';

/** What the built-in tools of one run share, and what the run lends them. */
export class RunShelf {
  readonly programs = new BackgroundPrograms();
  readonly todos = new TodoList();
  /** What the run remembers with; null where it has no memory. */
  memory: ToolMemory | null = null;
}
