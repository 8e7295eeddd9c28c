/**
 * @typedef {import('../../src/index.ts').Tool} Tool
 * @typedef {import('../../src/index.ts').Json} Json
 */

/**
 * A tool and a set of arguments as one text, the same for the same call.
 * @param {string} tool
 * @param {Json} args
 */
export function nameCall(tool, args) {
  return `${tool} ${JSON.stringify(args, (_key, value) => sortKeys(value))}`;
}

/** @param {unknown} value */
function sortKeys(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * The tool as it is, but taking its time on a clock, failing now and then where the latency says so, and counted.
 * @param {Tool} tool
 * @param {{ clock: import('./patient-clock.mjs').PatientClock, latency: import('./latency.mjs').Latency,
 *   meter: import('./metered-provider.mjs').Meter, createFault: (message: string) => Error }} world
 * @returns {Tool}
 */
export function meterTool(tool, { clock, latency, meter, createFault }) {
  const { name } = tool.spec;
  /** @type {Map<string, number>} */
  const attempts = new Map();
  /** @type {Tool['run']} */
  const run = async (args, context) => {
    const call = nameCall(name, args);
    const attempt = (attempts.get(call) ?? 0) + 1;
    attempts.set(call, attempt);
    const timed = `${call} ${attempt}`;
    let isOk = false;
    try {
      const value = latency.isFault(timed) ? null : await clock.hold(() => tool.run(args, context));
      await clock.sleep(latency.toolMs(name, timed));
      if (latency.isFault(timed)) throw createFault('the connection was lost');
      isOk = true;
      return value;
    } finally {
      meter.attempts.push({ call, isOk });
    }
  };
  return { ...tool, run };
}
