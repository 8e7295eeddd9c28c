import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/engine/replay.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { ScriptedProvider } from '../../../src/providers/scripted.ts';
import { toRunResult } from '../../../src/run/run-result.ts';
import { echoTool, node, only, plan, task } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const called: Json[] = [];
const ECHO = echoTool('echo', {
  run: (args) => {
    called.push(args);
    return (args as { value?: Json }).value ?? null;
  },
});

/** Runs a task whose planner gives these answers, and nothing else. */
async function planned(...answers: string[]) {
  called.length = 0;
  const provider = new ScriptedProvider(answers.map((reply) => ({ role: 'planner', reply })));
  const { driver, events } = engineRun({ tools: [ECHO], task: task(), provider });
  const result = toRunResult(await driver.run(), null);
  provider.assertConsumed();
  return { result, rejected: only(events, 'plan.rejected').map(({ problems }) => problems) };
}

describe('a planner that gives no plan', () => {
  const nothing: [string, string, string][] = [
    ['prose', 'First I would look at the cities, then compare them.', 'not_json'],
    ['an empty plan', '{"nodes":[],"output":"report"}', 'empty_plan'],
    [
      '1000 nodes over the limit',
      JSON.stringify(plan(...Array.from({ length: 2000 }, (_, index) => node(`n${index}`)))),
      'too_many_nodes',
    ],
  ];

  it.each(nothing)(
    'that answers %s three times ends the run, and no tool was called',
    async (_what, text, code) => {
      const { result, rejected } = await planned(text, text, text);
      expect(result).toMatchObject({ status: 'failed', exitCode: 1, answer: null });
      expect(result.failure).toMatchObject({ code: 'plan_unobtainable' });
      expect(rejected.map((problems) => problems.map((problem) => problem.code))).toEqual([
        [code],
        [code],
        [code],
      ]);
      expect(called).toEqual([]);
    },
  );

  it.each(nothing)('that answers %s once may still give one', async (_what, text) => {
    const { result } = await planned(text, JSON.stringify(plan(node('report', { args: { value: 'x' } }))));
    expect(result).toMatchObject({ status: 'unverified', answer: 'x' });
  });
});

describe('ids that objects have of themselves', () => {
  const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a/1', 'a#2', 'plan/1', '$ref', ' '];

  it.each(['level', 'eager'] as const)(
    'are ids like any other in a %s walk, and in its replay',
    async (walk) => {
      const nodes = ids.map((id, index) =>
        node(id, { args: { value: [index, ...(index === 0 ? [] : [{ $ref: ids[index - 1] ?? '' }])] } }),
      );
      const { driver, events } = engineRun({ tools: [ECHO], task: task({ walk }), plan: plan(...nodes) });
      const result = toRunResult(await driver.run(), null);
      const expected = ids.reduce<Json>((before, _id, index) => (index === 0 ? [0] : [index, before]), null);
      expect(result).toMatchObject({ status: 'unverified', answer: expected });
      expect(result.nodes.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, 'done']));
      expect(replay(events, true)).toMatchObject({ isComplete: true, divergence: null, warnings: [] });
    },
  );
});
