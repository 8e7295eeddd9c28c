// The built library as the engines of the section `agents` take it.

const dist = new URL('../../dist/', import.meta.url);

/**
 * A module of the built library.
 * @param {string} path
 * @returns {Promise<any>}
 */
const load = (path) => import(new URL(path, dist).href);

/** @returns {Promise<import('../agents/engines.mjs').Library>} */
export async function loadLibrary() {
  const { orchestrate, builtinTools, defineTool, ToolError } = await load('index.js');
  const { ManualClock } = await load('testing.js');
  return { orchestrate, builtinTools, defineTool, ToolError, ManualClock };
}
