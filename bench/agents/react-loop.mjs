/**
 * A plain ReAct loop, the least that one can be: thought, action and observation in turn, in one growing transcript;
 * one action at a time; a failed call is an observation like any other. It keeps no log, no budget and no history of
 * calls, and ends by an answer or after MAX_STEPS.
 *
 * @typedef {import('../../src/index.ts').Tool} Tool
 * @typedef {import('../../src/index.ts').Message} Message
 */

/** Steps after which a loop ends without an answer. */
export const MAX_STEPS = 60;

const MAX_OBSERVATION_CHARS = 20_000;

const INSTRUCTIONS = `Answer the question with the help of these tools:

{tools}

Use this format:

Question: the question that you must answer
Thought: what you think about what to do
Action: the tool to use, one of [{names}]
Action Input: its arguments as one JSON object
Observation: the result of the action
... (Thought, Action, Action Input and Observation may repeat)
Thought: I know the answer
Final Answer: the answer to the question

Write one Thought and one Action at a time, and stop after Action Input.`;

/**
 * Runs the loop to its end.
 * @param {string} question
 * @param {{ provider: import('../../src/index.ts').Provider, tools: readonly Tool[], workspace: string }} options
 * @returns {Promise<{ answer: string | null, steps: number, messages: Message[] }>}
 */
export async function runReact(question, { provider, tools, workspace }) {
  const { signal } = new AbortController();
  /** @type {Message[]} */
  const messages = [
    { role: 'system', content: describeTools(tools) },
    { role: 'user', content: `Question: ${question}` },
  ];
  for (let steps = 1; steps <= MAX_STEPS; steps += 1) {
    const request = { role: 'react', model: '', messages: [...messages], maxOutputTokens: 8000 };
    const { text } = await provider.complete(request, { signal, key: `react/${steps}` });
    const [, answer] = /(?:^|\n)Final Answer: ([\s\S]*)$/.exec(text) ?? [];
    if (answer !== undefined) return { answer, steps, messages };
    const [, name = '', input = ''] = /\nAction: (.*)\nAction Input: (.*)$/.exec(text) ?? [];
    const observed = await observe(name, input, { tools, workspace, signal });
    messages.push(
      { role: 'assistant', content: text },
      { role: 'user', content: `Observation: ${observed.slice(0, MAX_OBSERVATION_CHARS)}` },
    );
  }
  return { answer: null, steps: MAX_STEPS, messages };
}

/** @param {readonly Tool[]} tools */
function describeTools(tools) {
  const listed = tools.map(
    ({ spec }) => `${spec.name}: ${spec.description} Arguments: ${JSON.stringify(spec.input)}`,
  );
  const names = tools.map(({ spec }) => spec.name).join(', ');
  return INSTRUCTIONS.replace('{tools}', listed.join('\n')).replace('{names}', names);
}

/**
 * @param {string} name
 * @param {string} input
 * @param {{ tools: readonly Tool[], workspace: string, signal: AbortSignal }} world
 */
async function observe(name, input, { tools, workspace, signal }) {
  const tool = tools.find(({ spec }) => spec.name === name);
  if (tool === undefined) return `Error: there is no tool ${name}`;
  try {
    const value = await tool.run(JSON.parse(input), {
      signal,
      workspace,
      key: name,
      idempotencyKey: name,
      ask: () => Promise.reject(new Error('a tool of this loop asks no model')),
      spawn: () => Promise.reject(new Error('a tool of this loop starts no program')),
      log: () => {},
    });
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}
