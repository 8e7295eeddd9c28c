/**
 * Time that passed, and the processor time that this process used meanwhile, both in milliseconds. On a busy machine
 * only the second still says what something costs.
 * @typedef {{ wallMs: number, cpuMs: number }} Elapsed
 */

/**
 * Starts to measure; each call of what it returns says how much it has been since.
 * @returns {() => Elapsed}
 */
export function startTimer() {
  const usage = process.cpuUsage();
  const started = performance.now();
  return () => {
    const wallMs = performance.now() - started;
    const { user, system } = process.cpuUsage(usage);
    return { wallMs, cpuMs: (user + system) / 1000 };
  };
}
