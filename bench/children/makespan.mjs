// Both walks over the same plans, in the time of a clock that is moved by hand.
import { createPlan, ManualClock, runPlan } from '../adapters/library.mjs';
import { readInput, writeOutput } from '../child.mjs';
import { createTimedPlans, lowerBoundMs } from '../plan-shapes.mjs';

/**
 * @typedef {{ plans: number, seed: number, concurrency: number }} MakespanInput
 * @typedef {{ ratios: Record<'eager' | 'level', number[]>, peak: number }} MakespanOutput
 */

/** @type {MakespanInput} */
const { plans, seed, concurrency } = readInput();

/** @type {MakespanOutput} */
const output = { ratios: { eager: [], level: [] }, peak: 0 };
for (const timed of createTimedPlans(plans, seed)) {
  const plan = createPlan(timed.deps);
  for (const walk of /** @type {const} */ (['eager', 'level'])) {
    const clock = new ManualClock();
    let running = 0;
    /** @param {number} index */
    const run = async (index) => {
      running += 1;
      output.peak = Math.max(output.peak, running);
      await new Promise(
        (resolve) => void clock.setTimer(timed.durationsMs[index] ?? 0, () => void resolve(undefined)),
      );
      running -= 1;
    };
    const { walkMs } = await clock.runUntil(runPlan(plan, { run, walk, concurrency, clock }));
    output.ratios[walk].push(walkMs / lowerBoundMs(timed, concurrency));
  }
}
writeOutput(output);
