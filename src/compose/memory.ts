import { resolve } from 'node:path';
import type { Embedder, MemoryStore } from '../contracts/memory.ts';
import type { Task } from '../contracts/task.ts';
import { besideRuns } from './stores.ts';

/** What a memory is opened from. */
export interface MemoryOptions {
  /** The section `memory` of a task, defaults filled in. */
  readonly memory: Task['memory'];
  /** Folder that the paths of the task are relative to: that of its file. */
  readonly workspace: string;
  /** Folder of the runs, `.orchestrate/runs` by default: where the task names no file, memories are kept beside it. */
  readonly runsFolder?: string;
  /** Told what a person should know of: a corrupt file that was set aside, SQLite that cannot be loaded. */
  readonly warn: (message: string) => void;
}

/** A memory that a task names. Nothing is read, made or loaded before it is used. */
export interface OpenMemory {
  /** The file, whether or not it is there yet. */
  readonly path: string;
  readonly scope: string;
  /** Finds nothing where there is no file; the first `put` makes it. */
  readonly store: MemoryStore;
  /** Null where the task compares memories by their words. Where there is no model, `embed` throws what is missing. */
  readonly embedder: Embedder | null;
  close(): Promise<void>;
}

/** Opens the memory that a task names; never throws. Whoever opened it closes it. */
export async function openMemory({
  memory,
  workspace,
  runsFolder,
  warn,
}: MemoryOptions): Promise<OpenMemory> {
  const { LazyMemoryStore } = await import('../memory/lazy-store.ts');
  const path = memoryPath(memory, workspace, runsFolder);
  const store = new LazyMemoryStore({ path, warn });
  const embedder = memory.similarity === 'words' ? null : await openEmbedder(memory, workspace);
  return {
    path,
    scope: memory.scope,
    store,
    embedder,
    async close() {
      await embedder?.close();
      await store.close();
    },
  };
}

/** The file of a memory: the one that the task names, else `memory.db` beside the runs. */
export function memoryPath(
  { path }: Pick<Task['memory'], 'path'>,
  workspace: string,
  runsFolder?: string,
): string {
  return path === undefined ? besideRuns('memory.db', runsFolder) : resolve(workspace, path);
}

/** The embedder of the model that the task names; a folder that holds none is told of when it is used. */
async function openEmbedder({ model }: Task['memory'], workspace: string): Promise<Embedder> {
  const { createEmbedder } = await import('../memory/embedder.ts');
  try {
    return await createEmbedder({
      searchFrom: [workspace],
      ...(model === undefined ? {} : { path: resolve(workspace, model) }),
    });
  } catch (error) {
    const reason = error instanceof Error ? error : new Error(String(error));
    return {
      model: '',
      dimensions: 0,
      embed: () => Promise.reject(reason),
      close: () => Promise.resolve(),
    };
  }
}
