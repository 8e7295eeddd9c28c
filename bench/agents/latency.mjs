/*
 * What the comparison of engines assumes. Nobody's model or network is measured: time is that of a clock moved by hand.
 *
 * - A model call takes FIRST_TOKEN_MS, INPUT_MS a token that it reads and OUTPUT_MS a token that it writes, times a
 *   lognormal draw of median 1 (MODEL_SIGMA). So an engine that makes fewer calls but writes more in them pays for that.
 * - A tool call takes the median of its tool times a lognormal draw (TOOL_SIGMA); what is not in TOOL_MS takes no time.
 * - Draws follow from a seed: that of a model call from its number within the item, that of a tool call from tool,
 *   arguments and attempt. So the same call takes the same time whichever engine makes it.
 * - A share of FAULT_SHARE of the attempts of tools fails with a transient error, where faults are wanted at all.
 * - Tokens are a quarter of the characters of what is sent and received (`count-tokens.mjs`), without a discount for
 *   prompt caches, and counted in the same way for every engine.
 * - What the engines themselves compute takes no time on that clock.
 * - Models follow rules that read the request and nothing else, and make no mistakes. Whoever decides step by step does
 *   so by the same policy, in the agent loop and in ReAct. The loop is measured twice: with a model that makes all calls
 *   at once that do not need each other, the best case, and with one that makes one call a turn. A ReAct turn holds one
 *   sentence of thought, as its form wants; a turn of the loop holds none.
 * - Beside the defaults of the library (the plan is walked level by level): eight calls at a time, a context window of
 *   131,072 tokens, 60 rounds or steps at most, no judge, no memory, and paths that a result names are read unasked.
 * - A plan is read whole and checked before anything of it runs: the planner's whole answer is waited for.
 */
import { createRandom, drawLognormal } from '../random.mjs';

const FIRST_TOKEN_MS = 600;
const INPUT_MS = 0.1;
const OUTPUT_MS = 20;
const MODEL_SIGMA = 0.3;
const TOOL_SIGMA = 0.6;
const FAULT_SHARE = 0.05;

/** @type {Readonly<Record<string, number>>} */
const TOOL_MS = { search: 800, list_files: 30, search_files: 400, read_file: 20 };

/**
 * How long calls take, and which attempts fail.
 * @typedef {{ modelMs(usage: { inputTokens: number, outputTokens: number }): number,
 *   toolMs(tool: string, call: string): number, isFault(call: string): boolean }} Latency
 */

/**
 * The latencies of one item of a benchmark, the same for the same seed.
 * @param {number} seed
 * @param {{ hasFaults?: boolean }} [options]
 * @returns {Latency}
 */
export function createLatency(seed, { hasFaults = false } = {}) {
  let modelCalls = 0;
  return {
    modelMs({ inputTokens, outputTokens }) {
      modelCalls += 1;
      const draw = drawLognormal(randomFor(seed, `model ${modelCalls}`), MODEL_SIGMA);
      return draw * (FIRST_TOKEN_MS + INPUT_MS * inputTokens + OUTPUT_MS * outputTokens);
    },
    toolMs: (tool, call) => (TOOL_MS[tool] ?? 0) * drawLognormal(randomFor(seed, `time ${call}`), TOOL_SIGMA),
    isFault: (call) => hasFaults && randomFor(seed, `fault ${call}`)() < FAULT_SHARE,
  };
}

/**
 * Draws that follow from a seed and a name (FNV-1a).
 * @param {number} seed
 * @param {string} name
 */
function randomFor(seed, name) {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return createRandom(hash);
}
