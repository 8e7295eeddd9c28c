import { countTokens } from './count-tokens.mjs';

/**
 * @typedef {import('../../src/contracts/model.ts').ModelRequest} ModelRequest
 * @typedef {import('../../src/contracts/ports.ts').Provider} Provider
 * @typedef {{ text?: string, toolCalls?: { id: string, name: string, args: import('../../src/index.ts').Json }[] }} Said
 * @typedef {(request: ModelRequest) => Said} Rules what a scripted model says, by reading the request and nothing else
 */

/** Counts what an engine asks of models and tools. */
export class Meter {
  modelCalls = 0;
  inputTokens = 0;
  outputTokens = 0;
  /** Every attempt of a tool call, in the order of their ends.
   * @type {{ call: string, isOk: boolean }[]} */
  attempts = [];

  get failedCalls() {
    return this.attempts.filter(({ isOk }) => !isOk).length;
  }

  /** Calls that were made again with the same arguments although they had succeeded before. */
  get repeatedCalls() {
    const succeeded = this.attempts.filter(({ isOk }) => isOk);
    return succeeded.length - new Set(succeeded.map(({ call }) => call)).size;
  }
}

/**
 * A provider whose model follows rules and takes its time on a clock.
 * @param {Rules} rules
 * @param {{ clock: import('./patient-clock.mjs').PatientClock, latency: import('./latency.mjs').Latency, meter: Meter }} world
 * @returns {Provider}
 */
export function createMeteredProvider(rules, { clock, latency, meter }) {
  return {
    name: 'rules',
    isStandIn: true,
    priceOf: () => ({ inputPerMTok: 0, outputPerMTok: 0 }),
    async complete(request) {
      const said = rules(request);
      const usage = countTokens(request, said);
      meter.modelCalls += 1;
      meter.inputTokens += usage.inputTokens;
      meter.outputTokens += usage.outputTokens;
      await clock.sleep(latency.modelMs(usage));
      const { text = '', toolCalls } = said;
      return {
        text,
        stop: toolCalls === undefined ? 'stop' : 'tool_calls',
        usage,
        model: 'rules',
        provider: 'rules',
        ...(toolCalls === undefined ? {} : { toolCalls }),
      };
    },
  };
}
