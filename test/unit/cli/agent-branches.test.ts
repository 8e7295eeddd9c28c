/* A run with agents as a person sees it while it goes on. */
import { expect, it } from 'vitest';
import { AnswerTails } from '../../../src/cli/progress/answer-tails.ts';
import { NodeTimes } from '../../../src/cli/progress/node-times.ts';
import { renderTree } from '../../../src/cli/progress/progress-tree.ts';
import { PLAIN_STYLE } from '../../../src/views/style.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { foldEvents } from '../../../src/run/evolve.ts';
import { agentRun, calling, resultsIn } from '../../support/agent-run.ts';
import { engineRun } from '../../support/engine-run.ts';

function treeOf(events: readonly FlightEvent[], rows = 20): string[] {
  const last = events.at(-1)?.at ?? 0;
  const context = {
    style: PLAIN_STYLE,
    columns: 80,
    now: last,
    times: new NodeTimes(),
    tails: new AnswerTails(),
  };
  return renderTree(foldEvents(events), rows, { ...context, spinner: '*' }).map((line) => line.trimEnd());
}

it('shows the rounds of agents, their calls, and their children below the calls that started them', async () => {
  const run = agentRun({
    agent: (request) => {
      const isChild = JSON.stringify(request.messages).includes('count them');
      if (resultsIn(request).length > 0) return 'Done.';
      return isChild && !(request.tools ?? []).some(({ name }) => name === 'delegate')
        ? calling({ name: 'look_up', args: { city: 'Oslo' } })
        : calling(
            { name: 'look_up', args: { city: 'Rome' }, id: 'a' },
            { name: 'delegate', args: { task: 'count them' }, id: 'b' },
          );
    },
  });
  const { driver, events } = engineRun(run);
  await driver.run();
  const until = (isLast: (event: FlightEvent) => boolean): FlightEvent[] =>
    events.slice(0, events.findIndex(isLast) + 1);

  const asked = until(({ type }) => type === 'model.requested');
  expect(treeOf(asked)).toEqual([
    '  └─ * level 0  1 running',
    '     └─ * agent delegate · 1 model call · round 1 of 15',
    '        └─ * agent',
  ]);

  const deep = until((event) => event.type === 'call.started' && event.agent !== 'agent/1');
  expect(treeOf(deep)).toEqual([
    '  └─ * level 0  1 running',
    '     └─ * agent delegate · 1 model call · round 1 of 15',
    '        └─ * delegate · round 1 of 15',
    '           └─ * look_up',
  ]);
  for (const rows of [1, 2, 3, 4]) expect(treeOf(deep, rows).length).toBeLessThanOrEqual(rows);
  expect(treeOf(deep, 4)).toEqual(treeOf(deep));
  expect(treeOf(events)).toEqual(['  └─ ✓ level 0  1 done', '     └─ ✓ agent delegate · 1 model call']);
});
