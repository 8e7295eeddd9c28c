/* A run in which everything happens that the live picture shows; the engine could have made its log. */
import type { FlightEvent } from '../../src/flight/events.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { attemptKey } from '../../src/run/effect-key.ts';
import { FlightBuilder } from './flight-builder.ts';

const BUSY = {
  code: 'tool_transient',
  class: 'TRANSIENT',
  message: 'the statistics office answered 503: try again in a second',
} as const;
const NO_ARCHIVE = {
  code: 'missing_info',
  class: 'MISSING_INFO',
  message: 'no rainfall before 1990',
} as const;
const OVERLOADED = { code: 'model_overloaded', class: 'TRANSIENT', message: 'overloaded' } as const;

/** Items, attempts, a failure that may be, a pressed budget, a model call that is tried again, and a question. */
export function treeRun(): FlightEvent[] {
  const run = new FlightBuilder();
  run.start({ concurrency: 8, budget: { toolCalls: 12, llmCalls: 8 } });
  run.catalogue('list_cities', 'get_rates', 'get_population', 'get_rents', 'get_rainfall');
  run.call('plan/1', 'planner', { ms: 900 }).plan(
    [
      { id: 'cities', tool: 'list_cities' },
      { id: 'rates', tool: 'get_rates' },
      {
        ...{ id: 'population', tool: 'get_population', deps: ['cities'] },
        ...{ args: { city: { $item: '' } }, foreach: { $ref: 'cities', path: '/names' } },
      },
      { id: 'rents', tool: 'get_rents', deps: ['cities'] },
      { id: 'rainfall', tool: 'get_rainfall', deps: ['cities'], optional: true },
      { id: 'skyline', tool: 'get_rents', deps: ['population'], optional: true },
      { id: 'report', tool: 'get_rents', deps: ['population', 'rents', 'rainfall', 'rates'] },
      { id: 'publish', tool: 'get_rents', deps: ['report'] },
    ],
    'publish',
    { key: 'plan/1' },
  );
  run.add('level.started', { level: 0, nodes: 2 }).nodeStart('cities').nodeStart('rates');
  run
    .wait(400)
    .nodeDone('rates', 1)
    .wait(300)
    .nodeDone('cities', { names: ['A', 'B', 'C', 'D'] });
  run.add('level.started', { level: 1, nodes: 3 }).add('node.expanded', { node: 'population', items: 4 });
  for (let index = 0; index < 4; index++) run.nodeStart(`population[${index}]`);
  run.nodeStart('rents').nodeStart('rainfall').wait(600).nodeDone('population[0]', 1).wait(200);
  run.attemptFailed('population[1]', BUSY);
  run.add('retry.scheduled', { key: attemptKey('population[1]', 1), delayMs: 900 }).wait(100);
  run.nodeDone('population[2]', 1).nodeDone('population[3]', 1).nodeDone('rents', 1);
  run.attemptFailed('rainfall', NO_ARCHIVE).add('node.failed', { node: 'rainfall', failure: NO_ARCHIVE });
  run.wait(900).nodeStart('population[1]', 2).wait(1400).nodeDone('population[1]', 1, 2);
  run.add('node.joined', { node: 'population', digest: sha256('p') });
  run.add('pressure.changed', { mode: 'economy', pressure: 9 / 12, dimension: 'toolCalls' });
  run
    .add('level.started', { level: 2, nodes: 2 })
    .add('node.skipped', { node: 'skyline', reason: 'pressure' });
  run.nodeStart('report').wait(40).ask('report', 1, 1, 'writer', 'Write it.');
  run.request('report/1/1', 'writer', { node: 'report', model: 'writer-small' }).wait(820);
  run.add('model.failed', { key: 'report/1/1', failure: OVERLOADED });
  run.add('retry.scheduled', { key: 'report/1/1', delayMs: 500 }).wait(500);
  run.call('report/1/1#2', 'writer', { ms: 2600, node: 'report', model: 'writer-small', text: 'Text.' });
  run.wait(30).nodeDone('report', 'Text.').add('level.started', { level: 3, nodes: 1 });
  run.add('approval.requested', {
    ...{ node: 'publish', question: 'consent', tool: 'get_rents', args: {} },
    ...{ argsHash: sha256('a'), plan: sha256('plan 1') },
  });
  return run.build();
}
