/* A large log: a run of many nodes on a few crowded levels. */
import type { Failure } from '../../src/contracts/failure.ts';
import type { PlanNode } from '../../src/contracts/plan.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { attemptKey } from '../../src/run/effect-key.ts';
import { FlightBuilder } from './flight-builder.ts';
import { seededRandom } from './seeded-random.ts';

const OVERLOADED: Failure = {
  code: 'tool_transient',
  class: 'TRANSIENT',
  message: 'the shop answered 503',
};

const GONE: Failure = { code: 'missing_info', class: 'MISSING_INFO', message: 'the page is gone (410)' };

/** A run of about so many nodes on five levels, some of which fail, wait or are skipped. */
export function largeShowcase(nodes: number, seed = 7): FlightEvent[] {
  const random = seededRandom(seed);
  const run = new FlightBuilder();
  run.start(
    {
      name: 'catalogue-audit',
      goal: `Audit ${nodes} entries of the catalogue`,
      concurrency: 40,
      walk: 'eager',
      budget: { toolCalls: Math.round(nodes * 1.15), wallSeconds: 600 },
    },
    { runId: '20261130-070000-881-q7mt' },
  );
  const tools = [
    'fetch_page',
    'extract_facts',
    'check_price',
    'check_image',
    'score',
    'merge',
    'write_report',
  ];
  run
    .catalogue(...tools)
    .wait(2)
    .call('plan/1', 'planner', { ms: 3100, inputTokens: 5200, outputTokens: 9000 });
  const count = Math.max(1, Math.floor((nodes - 2) / 4.2));
  const name = (kind: string, index: number): string => `${kind}_${String(index + 1).padStart(4, '0')}`;
  const plan: (Pick<PlanNode, 'id' | 'tool'> & Partial<PlanNode>)[] = [{ id: 'index', tool: 'fetch_page' }];
  const merges = Math.max(1, Math.floor(count / 5));
  for (let index = 0; index < count; index++) {
    plan.push({ id: name('page', index), tool: 'fetch_page', deps: ['index'], optional: true });
    plan.push({
      id: name('facts', index),
      tool: 'extract_facts',
      deps: [name('page', index)],
      optional: true,
    });
    plan.push({
      id: name('price', index),
      tool: 'check_price',
      deps: [name('facts', index)],
      optional: true,
    });
    plan.push({
      id: name('image', index),
      tool: 'check_image',
      deps: [name('facts', index)],
      optional: true,
    });
  }
  for (let index = 0; index < merges; index++) {
    const mine = Array.from({ length: 5 }, (_, item) => index * 5 + item).filter((item) => item < count);
    plan.push({
      id: name('merge', index),
      tool: 'merge',
      deps: mine.flatMap((item) => [name('price', item), name('image', item)]),
      optional: true,
    });
  }
  plan.push({
    id: 'report',
    tool: 'write_report',
    deps: Array.from({ length: merges }, (_, index) => name('merge', index)),
  });
  run.plan(plan, 'report', { key: 'plan/1' });
  walkPlan(
    run,
    plan.map(({ id, deps = [] }) => ({ id, deps })),
    random,
  );
  return run
    .verdict('report', 'pass')
    .finish('verified', 'the report holds', { output: { node: 'report', digest: sha256('report') } })
    .build();
}

/** Walks a plan forty nodes at a time, in the order of the plan. */
function walkPlan(
  run: FlightBuilder,
  plan: readonly Pick<PlanNode, 'id' | 'deps'>[],
  random: () => number,
): void {
  const ended = new Map<string, 'done' | 'lost'>();
  let pending = [...plan];
  while (pending.length > 0) {
    const isReady = ({ deps }: Pick<PlanNode, 'deps'>): boolean => deps.every((id) => ended.has(id));
    const batch = pending.filter(isReady).slice(0, 40);
    pending = pending.filter((node) => !batch.includes(node));
    const started: string[] = [];
    for (const { id, deps } of batch) {
      const lost =
        deps.length === 1 ? deps.find((dependency) => ended.get(dependency) === 'lost') : undefined;
      if (lost === undefined) {
        run.nodeStart(id).wait(1);
        started.push(id);
      } else {
        run.add('node.skipped', { node: id, reason: 'dependency', dependency: lost });
        ended.set(id, 'lost');
      }
    }
    for (const id of started.sort(() => random() - 0.5)) {
      run.wait(1 + Math.floor(random() * 30));
      const draw = random();
      if (draw < 0.015 && plan.length > 1 && id !== plan[0]?.id && id !== plan.at(-1)?.id) {
        run.attemptFailed(id, GONE).add('node.failed', { node: id, failure: GONE });
        ended.set(id, 'lost');
        continue;
      }
      const isRetried = draw > 0.97;
      if (isRetried) {
        run.attemptFailed(id, OVERLOADED).add('retry.scheduled', { key: attemptKey(id, 1), delayMs: 10 });
        run.wait(10).nodeStart(id, 2).wait(12);
      }
      run.nodeDone(id, { id, ok: true, price: Math.round(random() * 10_000) / 100 }, isRetried ? 2 : 1);
      ended.set(id, 'done');
    }
  }
}
