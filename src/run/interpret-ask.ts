/** What a tool is told of an answer to its question; here because the engine, which tells it, may not import worker. */
export { interpretAsk } from '../worker/ask.ts';
