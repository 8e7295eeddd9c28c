import { createLatency } from './latency.mjs';
import { TODO_GOAL, todoPlanRules, todoPolicy } from './todo-models.mjs';

/**
 * The task to find and classify all TODO comments of a repository, with the built-in tools, some of whose attempts fail.
 * @param {import('./engines.mjs').Library} library
 * @param {{ workspace: string, seed: number }} world the folder that the repository stands in
 * @returns {Promise<import('./engines.mjs').Job>}
 */
export async function createTodoJob({ builtinTools }, { workspace, seed }) {
  return {
    goal: TODO_GOAL,
    tools: await builtinTools(['list_files', 'search_files', 'read_file']),
    planRules: todoPlanRules,
    policy: todoPolicy,
    latency: () => createLatency(seed, { hasFaults: true }),
    workspace,
  };
}

/**
 * How an answer compares with what is true: comments that it lacks, and lines that are wrong or not there at all.
 * @param {string} answer
 * @param {import('./todo-repository.mjs').TodoRepository} repository
 */
export function scoreTodos(answer, { todos }) {
  const given = answer === '' ? [] : answer.split('\n');
  const wanted = new Set(todos.map(({ path, line, kind }) => `${path}:${line} ${kind}`));
  const right = new Set(given.filter((line) => wanted.has(line)));
  return { found: right.size, missed: wanted.size - right.size, wrong: given.length - right.size };
}

/**
 * The same task for a model that cannot get away from what it did first: it makes the same call, or draws the same plan,
 * which no tool can run, again and again.
 * @param {import('./engines.mjs').Job} job
 * @returns {import('./engines.mjs').Job}
 */
export function withStuckModel(job) {
  const plan = { nodes: [{ id: 'todos', tool: 'find_todos', args: {} }], output: 'todos' };
  return {
    ...job,
    planRules: () => ({ text: JSON.stringify(plan) }),
    policy: (task) => job.policy(task, []),
  };
}
