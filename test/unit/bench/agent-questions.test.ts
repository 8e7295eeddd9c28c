/* The comparison of engines compares like with like only where every engine answers every question. */
import { describe, expect, it } from 'vitest';
import { ENGINES, type EngineName } from '../../../bench/agents/engines.mjs';
import { createQuestionJobs } from '../../../bench/agents/question-jobs.mjs';
import { SHAPES, type Shape } from '../../../bench/agents/question-world.mjs';
import * as library from '../../../src/index.ts';
import { ManualClock } from '../../../src/testing.ts';

const shapes = Object.keys(SHAPES) as Shape[];
const engines = Object.keys(ENGINES) as EngineName[];

describe.each(shapes)('the questions of %s', (shape) => {
  it.each(engines)('are all answered right by %s', { timeout: 60_000 }, async (engine) => {
    // Twelve hold every pattern of every width.
    const jobs = await createQuestionJobs({ ...library, ManualClock }, { shape, count: 12, seed: 3 });
    for (const { job, answer, width } of jobs) {
      const measured = await ENGINES[engine]({ ...library, ManualClock }, job);
      expect(measured.answer, job.goal).toContain(answer);
      expect(measured).toMatchObject({ end: null, failedCalls: 0, repeatedCalls: 0 });
      expect(measured.toolCalls).toBeGreaterThanOrEqual(width);
    }
  });
});
