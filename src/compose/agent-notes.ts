import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { NotesChange } from '../contracts/agent.ts';
import type { Task } from '../contracts/task.ts';
import { memoryPath } from './memory.ts';
import type { DriveOptions } from './run-options.ts';

/** The entries after a change that was made to others: what it took away goes, what it added comes last. */
function changeNotes(entries: readonly string[], { before, after }: NotesChange): string[] {
  const added = after.filter((entry) => !before.includes(entry) && !entries.includes(entry));
  return [...entries.filter((entry) => after.includes(entry) || !before.includes(entry)), ...added];
}

const fileSchema = z.record(z.string(), z.array(z.string()));

/** The notes of agents by the scope of their memory, in `agent-notes.json` beside the memory of the runs. */
export class AgentNotes {
  readonly #path: string | null;
  readonly #scope: string;

  /** Runs that are kept in no folder, or that have no memory, have notes only for as long as they last. */
  constructor(task: Pick<Task, 'memory'>, folder: string, { store, runsFolder, memory }: DriveOptions) {
    const isKept = (store === undefined && runsFolder !== null) || task.memory.path !== undefined;
    this.#scope = task.memory.scope;
    this.#path =
      isKept && task.memory.enabled && memory !== null
        ? join(dirname(memoryPath(task.memory, folder, runsFolder ?? undefined)), 'agent-notes.json')
        : null;
  }

  /** The entries of the scope; none where there are none yet. Throws where the file is none of its kind. */
  async read(): Promise<readonly string[]> {
    return this.#path === null ? [] : ((await this.#readAll(this.#path))[this.#scope] ?? []);
  }

  /** Makes a change in the entries of the scope, whole or not at all; what others have noted since stays. */
  async change(change: NotesChange): Promise<void> {
    if (this.#path === null) return;
    const before = await this.#readAll(this.#path);
    const all = { ...before, [this.#scope]: changeNotes(before[this.#scope] ?? [], change) };
    const temporary = `${this.#path}.${randomUUID()}`;
    await mkdir(dirname(this.#path), { recursive: true });
    await writeFile(temporary, `${JSON.stringify(all, null, 2)}\n`);
    await rename(temporary, this.#path);
  }

  async #readAll(path: string): Promise<Record<string, string[]>> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
      throw error;
    });
    return fileSchema.parse(JSON.parse(text));
  }
}
