/** @typedef {import('../../src/contracts/model.ts').ModelRequest} ModelRequest */

const CHARS_PER_TOKEN = 4;

/**
 * Tokens of a model call by one estimate for every engine: a quarter of the characters of all that is sent (messages,
 * tool calls in them, tools on offer, the schema of the answer) and of all that comes back.
 * @param {ModelRequest} request
 * @param {import('./metered-provider.mjs').Said} said
 */
export function countTokens({ messages, tools, format }, { text = '', toolCalls }) {
  let chars = lengthOf(tools) + lengthOf(format?.schema);
  for (const message of messages) {
    chars += typeof message.content === 'string' ? message.content.length : lengthOf(message.content);
    if (message.role === 'assistant') chars += lengthOf(message.toolCalls);
  }
  return {
    inputTokens: Math.ceil(chars / CHARS_PER_TOKEN),
    outputTokens: Math.ceil((text.length + lengthOf(toolCalls)) / CHARS_PER_TOKEN),
    estimated: true,
  };
}

/** @param {unknown} value */
function lengthOf(value) {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
