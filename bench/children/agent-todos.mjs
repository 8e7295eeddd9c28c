// One engine that finds and classifies the TODO comments of a made repository. Needs --expose-gc.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadLibrary } from '../adapters/agents.mjs';
import { ENGINES } from '../agents/engines.mjs';
import { createTodoJob, scoreTodos, withStuckModel } from '../agents/todo-job.mjs';
import { createTodoRepository, writeTodoRepository } from '../agents/todo-repository.mjs';
import { readInput, writeOutput } from '../child.mjs';

/**
 * `isStuck`: the model does the same again and again. `heapBytes`: what the finished run keeps alive, after a collection.
 * @typedef {{ engine: import('../agents/engines.mjs').EngineName, seed: number, files: number,
 *   isStuck: boolean }} AgentTodosInput
 * @typedef {Omit<import('../agents/engines.mjs').Measurement, 'answer' | 'kept'> &
 *   ReturnType<typeof scoreTodos> & { heapBytes: number }} AgentTodosOutput
 */

/** @type {AgentTodosInput} */
const { engine, seed, files, isStuck } = readInput();
const library = await loadLibrary();

/**
 * @param {number} size
 * @param {number} from
 */
async function measure(size, from) {
  const workspace = await mkdtemp(join(tmpdir(), 'sortie-bench-'));
  try {
    const repository = createTodoRepository(from, size);
    await writeTodoRepository(workspace, repository);
    const job = await createTodoJob(library, { workspace, seed: from });
    const measured = await ENGINES[engine](library, isStuck ? withStuckModel(job) : job);
    return { ...measured, ...scoreTodos(measured.answer, repository) };
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

async function heapUsed() {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

// Loads what is loaded at first use, so that it is not taken for what the run keeps.
await measure(60, seed + 1000);
const before = await heapUsed();
const { kept, answer, ...figures } = await measure(files, seed);
const heapBytes = (await heapUsed()) - before;
/** @type {AgentTodosOutput} */
const output = { ...figures, heapBytes };
// Looked at last, so that both are still there when the heap is measured.
if (kept === null || answer === null) throw new Error('the engine left nothing');
writeOutput(output);
