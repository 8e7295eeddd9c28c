// The memory of the built library.
const dist = new URL('../../dist/memory/', import.meta.url);

/**
 * A module of the built library.
 * @param {string} name
 * @returns {Promise<any>}
 */
const load = (name) => import(new URL(`${name}.js`, dist).href);

export async function loadMemory() {
  const { SqliteMemoryStore } = await load('sqlite-store');
  const { recall } = await load('recall');
  const { buildContext } = await load('context');
  const { createEmbedder } = await load('embedder');
  const { InMemoryStore } = await load('in-memory-store');
  /** @param {string} path */
  const openStore = (path) =>
    new SqliteMemoryStore({
      path,
      warn: (/** @type {string} */ message) => {
        throw new Error(message);
      },
    });
  return { openStore, recall, buildContext, createEmbedder, InMemoryStore };
}
