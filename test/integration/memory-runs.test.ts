import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMemory } from '../../src/compose/memory.ts';
import { taskSchema } from '../../src/contracts/task.ts';
import type { EventOf } from '../../src/flight/events.ts';
import { orchestrate, type TaskValue } from '../../src/index.ts';
import { MINI_LM, vectorModel } from '../../src/memory/model-manifest.ts';
import { echoTool, node } from '../support/core.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { drawing } from '../support/remembering.ts';

const MODEL = vectorModel(MINI_LM);

/** Runs in a folder, and gives what was recalled for the planner, with the warnings of the run. */
async function runIn(
  folder: string,
  runId: string,
  task: Pick<TaskValue, 'goal' | 'memory'>,
): Promise<{ recalled: EventOf<'memory.recalled'>; warnings: readonly string[] }> {
  let recalled: EventOf<'memory.recalled'> | undefined;
  const result = await orchestrate({
    task: { name: 'runs', verify: { judge: 'off' }, ...task },
    ...{ tools: [echoTool()], provider: drawing(node('a', { args: { value: 'the scales show 1.4 MB' } })) },
    ...{ runsFolder: folder, workspace: folder, runId },
    onEvent: (event) => {
      if (event.type === 'memory.recalled') recalled ??= event;
    },
  });
  if (recalled === undefined) throw new Error('nothing was recalled');
  return { recalled, warnings: result.warnings ?? [] };
}

describe('runs in one folder', () => {
  it('compare by meaning, once there is something to compare, and give what has none its vectors', async () => {
    const folder = temporaryFolder();
    // A loaded machine may take its time.
    const memory = { timeoutMs: 60_000 };
    const first = await runIn(folder, 'r1', { goal: 'How heavy is a kitten?', memory });
    expect(first.recalled).toMatchObject({ included: [], similarity: 'words', warnings: [] });
    const second = await runIn(folder, 'r2', { goal: 'The weight of a young cat', memory });
    expect(second.recalled).toMatchObject({ similarity: 'fusion', model: MODEL, warnings: [] });
    expect(second.warnings).toEqual([]);
    const opened = await openMemory({
      ...{ memory: taskSchema.shape.memory.parse({}), workspace: folder, runsFolder: folder },
      warn: (message) => expect.fail(message),
    });
    onTestFinished(() => opened.close());
    const { entries } = await opened.store.list({ scope: 'default', limit: 10 });
    expect(entries.map(({ record, embedding }) => [record.provenance.run, embedding?.model]).sort()).toEqual([
      ['r1', MODEL],
      ['r2', MODEL],
      ['r2', MODEL],
    ]);
    // Nothing but its meaning is shared with the question.
    const third = await runIn(folder, 'r3', { goal: 'mass of baby felines', memory });
    expect(third.recalled.included.map(({ from }) => from.run)).toContain('r1');
  });

  it('compare by words where there is no model, and say so once in a run', async () => {
    const folder = temporaryFolder();
    const memory = { model: join(folder, 'nowhere') };
    await runIn(folder, 'r1', { goal: 'Weigh the moss', memory });
    const { recalled, warnings } = await runIn(folder, 'r2', { goal: 'Weigh the moss again', memory });
    expect(recalled.similarity).toBe('words');
    expect(recalled.included.map(({ from }) => from.run)).toContain('r1');
    expect(recalled.warnings).toHaveLength(1);
    expect(recalled.warnings[0]).toContain('compared by their words, not by their meaning');
    expect(warnings).toEqual([]);
  });
});
