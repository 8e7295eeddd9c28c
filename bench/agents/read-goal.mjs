/**
 * The goal that a planner is asked with, as it stands in its prompt.
 * @param {import('../../src/contracts/model.ts').ModelRequest} request
 * @returns {string}
 */
export function readGoal({ messages }) {
  for (const { content } of messages) {
    const [, goal] = /<goal[^>]*>\n(.*)\n<\/goal/.exec(String(content)) ?? [];
    if (goal !== undefined) return JSON.parse(goal);
  }
  throw new Error('the prompt holds no goal');
}
