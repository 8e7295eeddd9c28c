/**
 * What a model goes by that decides step by step, whatever engine asks it: from the task and from what was done it
 * follows which calls come next, or what the answer is.
 *
 * @typedef {import('../../src/index.ts').Json} Json
 * @typedef {{ tool: string, args: import('../../src/index.ts').JsonObject }} PlannedCall
 * @typedef {PlannedCall & { text: string, isOk: boolean }} Seen a call that was made, and what came of it
 * @typedef {{ thought: string } & ({ calls: PlannedCall[] } | { answer: string })} Step
 * @typedef {(task: string, seen: readonly Seen[]) => Step} Policy
 *
 * @typedef {import('./metered-provider.mjs').Rules} Rules
 * @typedef {import('../../src/contracts/model.ts').ModelRequest} ModelRequest
 */

const FENCE = /^<tool-output fence="[0-9a-f]+" from="tools">\n([\s\S]*)\n<\/tool-output fence="[0-9a-f]+">$/;

/**
 * The model of an agent loop: tools are called by the API, at most `callsPerTurn` in one turn. To the question how
 * complete a task is, it says that the answer is still missing, as it is then; an agent that has to end without an answer
 * writes up in one sentence what it has.
 * @param {Policy} policy
 * @param {number} callsPerTurn
 * @returns {Rules}
 */
export function loopRules(policy, callsPerTurn) {
  return (request) => {
    if (request.role === 'evaluator') {
      return { text: JSON.stringify({ completion: 0.5, reason: 'The answer is not there yet.' }) };
    }
    if (request.role === 'finalizer') return { text: 'This is what I have found so far.' };
    if (request.role !== 'agent') throw new Error(`no rule for the role ${request.role}`);
    const task = request.messages.find(({ role }) => role === 'user')?.content;
    const seen = seenCalls(request);
    const step = policy(typeof task === 'string' ? task : '', seen);
    if ('answer' in step) return { text: step.answer };
    const toolCalls = step.calls
      .slice(0, callsPerTurn)
      .map(({ tool, args }, index) => ({ id: `call_${seen.length + index}`, name: tool, args }));
    return { toolCalls };
  };
}

/**
 * @param {ModelRequest} request
 * @returns {Seen[]}
 */
function seenCalls({ messages }) {
  /** @type {Map<string, PlannedCall>} */
  const calls = new Map();
  /** @type {Seen[]} */
  const seen = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { id, name, args } of message.toolCalls ?? []) {
        calls.set(id, { tool: name, args: /** @type {import('../../src/index.ts').JsonObject} */ (args) });
      }
    } else if (message.role === 'tool') {
      const call = calls.get(message.toolCallId);
      const text = FENCE.exec(message.content)?.[1] ?? message.content;
      if (call !== undefined) seen.push({ ...call, text, isOk: !text.startsWith('[error ') });
    }
  }
  return seen;
}

/**
 * The model of a ReAct loop: one thought and one action a turn, in text.
 * @param {Policy} policy
 * @returns {Rules}
 */
export function reactRules(policy) {
  return ({ messages }) => {
    const [, task, ...turns] = messages.map(({ content }) => String(content));
    /** @type {Seen[]} */
    const seen = [];
    for (let index = 0; index + 1 < turns.length; index += 2) {
      const [, tool = '', input = '{}'] =
        /\nAction: (.*)\nAction Input: (.*)$/.exec(turns[index] ?? '') ?? [];
      const text = (turns[index + 1] ?? '').replace(/^Observation: /, '');
      seen.push({ tool, args: JSON.parse(input), text, isOk: !text.startsWith('Error: ') });
    }
    const step = policy((task ?? '').replace(/^Question: /, ''), seen);
    if ('answer' in step) return { text: `Thought: ${step.thought}\nFinal Answer: ${step.answer}` };
    const [call] = step.calls;
    if (call === undefined) throw new Error('a step without a call');
    return {
      text: `Thought: ${step.thought}\nAction: ${call.tool}\nAction Input: ${JSON.stringify(call.args)}`,
    };
  };
}

/**
 * Those of the calls that have not succeeded yet.
 * @param {readonly PlannedCall[]} calls
 * @param {readonly Seen[]} seen
 */
export function callsLeft(calls, seen) {
  return calls.filter(
    ({ tool, args }) =>
      !seen.some(
        (each) => each.isOk && each.tool === tool && JSON.stringify(each.args) === JSON.stringify(args),
      ),
  );
}
