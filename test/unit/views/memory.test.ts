import { describe, expect, it } from 'vitest';
import { describeEvent } from '../../../src/cli/progress/event-line.ts';
import type { MemoryRecord } from '../../../src/contracts/memory.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { foldEvents } from '../../../src/run/evolve.ts';
import { showRun } from '../../../src/views/show.ts';
import { explain } from '../../../src/views/why.ts';
import { echoTool, node, only } from '../../support/core.ts';
import { drawing, rememberingRuns } from '../../support/remembering.ts';

const TASK = { name: 'memory', goal: 'Weigh the moss.', verify: { judge: 'off' } } as const;
const OPTIONS = {
  task: TASK,
  tools: [echoTool()],
  provider: drawing(node('a', { args: { value: 'moss' } })),
};
const linesOf = (events: readonly FlightEvent[]): string[] =>
  events.flatMap((event) => describeEvent(event, foldEvents(events))?.text ?? []);

describe('what is told of a recall', () => {
  it('is whose memories were shown to what', async () => {
    const { run } = rememberingRuns();
    const first = await run('r1', OPTIONS);
    expect(showRun(first.events, { width: 100 })).not.toMatch(/^memory {3}/m);
    expect(linesOf(first.events).join('\n')).not.toContain('plan/1;');
    const { events } = await run('r2', OPTIONS);
    expect(showRun(events, { width: 100 })).toContain(
      'memory   2 entries of 1 run recalled for 1 model call',
    );
    expect(explain(events)).toContain('the planner was shown 2 memories of "r1"');
    expect(linesOf(events)).toContain('2 memories for plan/1');
  });

  it('is what was wrong, even where something was found', async () => {
    const { run, memory } = rememberingRuns();
    await run('r1', OPTIONS);
    memory.searchByWords = ({ tier }) =>
      tier === 'semantic'
        ? Promise.reject(new Error('the disk is gone'))
        : memory
            .list({ scope: 'default', tier: 'episodic', limit: 1 })
            .then(({ entries }) => entries.map(({ record }) => ({ record, score: 1 })));
    const { events } = await run('r2', OPTIONS);
    const [recalled] = only(events, 'memory.recalled');
    expect(recalled?.warnings).toEqual(['nothing semantic was recalled: the disk is gone']);
    expect(explain(events)).toContain(
      'the planner was shown 1 memory of "r1"; memory: nothing semantic was recalled: the disk is gone',
    );
    expect(linesOf(events)).toContain('1 memory for plan/1; nothing semantic was recalled: the disk is gone');
  });

  it('names no run where a person gave the memories', async () => {
    const { run, memory } = rememberingRuns();
    const record: MemoryRecord = {
      ...{ tier: 'semantic', id: 'own', text: 'Moss is weighed dry.', provenance: { at: 1 } },
    };
    await memory.put('default', [{ record }]);
    const { events } = await run('r1', OPTIONS);
    expect(showRun(events, { width: 100 })).toContain('memory   1 entry recalled for 1 model call');
    expect(explain(events)).toContain('the planner was shown 1 memory');
  });
});
