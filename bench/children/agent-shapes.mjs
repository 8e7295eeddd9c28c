// One engine over the questions of one shape, in the time of a clock that is moved by hand.
import { loadLibrary } from '../adapters/agents.mjs';
import { ENGINES } from '../agents/engines.mjs';
import { createQuestionJobs } from '../agents/question-jobs.mjs';
import { readInput, writeOutput } from '../child.mjs';

/**
 * @typedef {import('../agents/engines.mjs').Measurement} Measurement
 * @typedef {{ engine: import('../agents/engines.mjs').EngineName, shape: import('../agents/question-world.mjs').Shape,
 *   count: number, seed: number }} AgentShapesInput
 * @typedef {{ items: (Pick<Measurement, 'elapsedMs' | 'tokens' | 'modelCalls' | 'toolCalls'> & { width: number,
 *   isSolved: boolean })[] }} AgentShapesOutput
 */

/** @type {AgentShapesInput} */
const { engine, ...wanted } = readInput();
const library = await loadLibrary();

/** @type {AgentShapesOutput} */
const output = { items: [] };
for (const { job, answer, width } of await createQuestionJobs(library, wanted)) {
  const { elapsedMs, tokens, modelCalls, toolCalls, answer: given } = await ENGINES[engine](library, job);
  output.items.push({ elapsedMs, tokens, modelCalls, toolCalls, width, isSolved: given.includes(answer) });
}
writeOutput(output);
