import { createLatency } from './latency.mjs';
import { questionPlanRules, questionPolicy } from './question-models.mjs';
import { createQuestionWorld } from './question-world.mjs';

/** @typedef {{ job: import('./engines.mjs').Job, answer: string, width: number }} QuestionJob */

/**
 * The questions of a shape as tasks for every engine: `search` over the articles, and the built-in `calculate`.
 * @param {import('./engines.mjs').Library} library
 * @param {{ shape: import('./question-world.mjs').Shape, count: number, seed: number }} wanted
 * @returns {Promise<QuestionJob[]>}
 */
export async function createQuestionJobs({ defineTool, builtinTools, ToolError }, { shape, count, seed }) {
  const { items, articles } = createQuestionWorld(shape, count, seed);
  const search = defineTool({
    name: 'search',
    description: 'Looks up the article about a name, and returns its text.',
    input: {
      type: 'object',
      properties: { query: { type: 'string' } },
      required: ['query'],
      additionalProperties: false,
    },
    output: { type: 'string' },
    costHint: 1,
    effect: 'read',
    run: ({ query }) => {
      const article = articles.get(String(query));
      if (article === undefined) throw new ToolError('MISSING_INFO', `there is no article about ${query}`);
      return article;
    },
  });
  const tools = [search, ...(await builtinTools(['calculate']))];
  return items.map(({ question, answer }, index) => ({
    answer,
    width: question.split('"').length >> 1,
    job: {
      goal: question,
      tools,
      planRules: questionPlanRules,
      policy: questionPolicy,
      latency: () => createLatency(seed * 1000 + index),
      workspace: import.meta.dirname,
    },
  }));
}
