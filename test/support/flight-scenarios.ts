import type { Failure } from '../../src/contracts/failure.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { FlightBuilder } from './flight-builder.ts';

/** A service that is busy. */
export const BUSY: Failure = {
  code: 'tool_transient',
  class: 'TRANSIENT',
  message: 'HTTP 503 from the register',
};

/** A city that nobody knows. */
export const NO_ATLANTIS: Failure = {
  code: 'missing_info',
  class: 'MISSING_INFO',
  message: 'no city named "Atlantis"',
};

const report = (...deps: string[]) => ({
  ...{ id: 'report', tool: 'aggregate_report', deps },
  args: { facts: deps.map((id) => ({ $ref: id })) },
});
const population = (id: string, city: string) => ({ id, tool: 'get_population', args: { city } });

function planned(builder: FlightBuilder): FlightBuilder {
  return builder.wait(1).catalogue('get_population', 'aggregate_report').wait(1);
}

/** Two look-ups, a report that asks a model, a judge that passes it. */
export function cityCompare(): FlightEvent[] {
  const builder = new FlightBuilder().start({ budget: { tokens: 1000, toolCalls: 6, wallSeconds: 10 } });
  return planned(builder)
    .call('plan/1', 'planner', { ms: 100, inputTokens: 200, outputTokens: 50 })
    .wait(1)
    .plan([population('paris', 'Paris'), population('osaka', 'Osaka'), report('paris', 'osaka')], 'report', {
      key: 'plan/1',
    })
    .add('level.started', { level: 0, nodes: 2 })
    .wait(1)
    .nodeStart('paris')
    .nodeStart('osaka')
    .wait(20)
    .nodeDone('osaka', { population: 2_691_000 })
    .wait(6)
    .nodeDone('paris', { population: 2_148_000 })
    .wait(1)
    .add('level.started', { level: 1, nodes: 1 })
    .wait(1)
    .nodeStart('report')
    .wait(2)
    .ask('report', 1, 1, 'aggregator', 'Write it up: 2148000')
    .wait(1)
    .call('report/1/1', 'aggregator', { ms: 200, node: 'report', inputTokens: 300, outputTokens: 90 })
    .wait(5)
    .nodeDone('report', '# Paris and Osaka')
    .wait(1)
    .call('judge/1', 'critic', { ms: 50, model: 'judge-1', inputTokens: 150, outputTokens: 10 })
    .add('pressure.changed', { mode: 'economy', pressure: 0.8, dimension: 'tokens' })
    .wait(1)
    .verdict('report', 'pass')
    .wait(1)
    .finish('verified', 'the verdict is a pass', { output: { node: 'report', digest: sha256('report') } })
    .build();
}

/** A look-up that fails twice and then answers; a planner whose first call is overloaded. */
export function retriedRun(): FlightEvent[] {
  const overloaded: Failure = { code: 'model_overloaded', class: 'TRANSIENT', message: 'HTTP 529' };
  return planned(new FlightBuilder().start())
    .request('plan/1', 'planner')
    .wait(10)
    .add('model.failed', { key: 'plan/1', failure: overloaded, draw: 0.5 })
    .add('retry.scheduled', { key: 'plan/1', delayMs: 250 })
    .wait(250)
    .call('plan/1#2', 'planner', { ms: 40 })
    .plan([population('paris', 'Paris')], 'paris', { key: 'plan/1' })
    .add('level.started', { level: 0, nodes: 1 })
    .nodeStart('paris')
    .wait(10)
    .attemptFailed('paris', BUSY)
    .add('retry.scheduled', { key: 'paris/1', delayMs: 100 })
    .wait(100)
    .nodeStart('paris', 2)
    .wait(20)
    .attemptFailed('paris', BUSY, 2)
    .add('retry.scheduled', { key: 'paris/2', delayMs: 200 })
    .wait(200)
    .nodeRun('paris', 30, { population: 2_148_000 }, 3)
    .finish('unverified', 'the task asks for no verification', {
      output: { node: 'paris', digest: sha256('paris') },
    })
    .build();
}

/** A look-up that cannot be answered takes the report with it. */
export function failedRun(): FlightEvent[] {
  return planned(new FlightBuilder().start({ limits: { replans: 0 } }))
    .call('plan/1', 'planner')
    .plan(
      [
        population('atlantis', 'Atlantis'),
        { id: 'summary', tool: 'summarize', deps: ['atlantis'] },
        report('summary'),
      ],
      'report',
      { key: 'plan/1' },
    )
    .add('level.started', { level: 0, nodes: 1 })
    .nodeStart('atlantis')
    .wait(8)
    .attemptFailed('atlantis', NO_ATLANTIS)
    .add('node.failed', { node: 'atlantis', failure: NO_ATLANTIS })
    .add('node.skipped', { node: 'summary', reason: 'dependency', dependency: 'atlantis' })
    .add('node.skipped', { node: 'report', reason: 'dependency', dependency: 'summary' })
    .wait(2)
    .finish('failed', 'the output node "report" is not done', { failure: NO_ATLANTIS })
    .build();
}

/** One node run once per city, of which the second is tried twice. */
export function foreachRun(): FlightEvent[] {
  return planned(new FlightBuilder().start())
    .call('plan/1', 'planner')
    .plan(
      [
        { id: 'cities', tool: 'list_cities' },
        {
          ...{ id: 'each', tool: 'get_population', args: { city: { $item: '' } }, deps: ['cities'] },
          foreach: { $ref: 'cities' },
        },
      ],
      'each',
      { key: 'plan/1' },
    )
    .add('level.started', { level: 0, nodes: 1 })
    .nodeRun('cities', 5, ['Paris', 'Osaka'])
    .add('level.started', { level: 1, nodes: 1 })
    .add('node.expanded', { node: 'each', items: 2 })
    .nodeStart('each[0]')
    .nodeStart('each[1]')
    .wait(10)
    .nodeDone('each[0]', 1)
    .wait(5)
    .attemptFailed('each[1]', BUSY)
    .add('retry.scheduled', { key: 'each[1]/1', delayMs: 50 })
    .wait(50)
    .nodeRun('each[1]', 10, 2, 2)
    .add('node.joined', { node: 'each', digest: sha256('[1,2]') })
    .finish('unverified', 'the task asks for no verification', {
      output: { node: 'each', digest: sha256('[1,2]') },
    })
    .build();
}

/** A look-up that cannot be answered is planned around; the other keeps its result. */
export function replannedRun(): FlightEvent[] {
  return planned(new FlightBuilder().start())
    .call('plan/1', 'planner', { ms: 30 })
    .plan(
      [population('paris', 'Paris'), population('atlantis', 'Atlantis'), report('paris', 'atlantis')],
      'report',
      { key: 'plan/1' },
    )
    .nodeStart('paris')
    .nodeStart('atlantis')
    .wait(10)
    .nodeDone('paris', { population: 2_148_000 })
    .wait(5)
    .attemptFailed('atlantis', NO_ATLANTIS)
    .add('node.failed', { node: 'atlantis', failure: NO_ATLANTIS })
    .add('node.skipped', { node: 'report', reason: 'dependency', dependency: 'atlantis' })
    .wait(1)
    .add('replan.started', { reason: 'node_failed', failed: ['atlantis'], issues: [] })
    .call('plan/2', 'replanner', { ms: 30, text: 'no JSON' })
    .add('plan.rejected', {
      key: 'plan/2',
      problems: [{ code: 'not_json', pointer: '', message: 'the answer holds no JSON' }],
    })
    .call('plan/3', 'replanner', { ms: 40 })
    .plan([population('paris', 'Paris'), report('paris')], 'report', {
      ...{ key: 'plan/3', version: 2, kept: ['paris'], superseded: ['atlantis'] },
    })
    .nodeRun('report', 20, '# Paris')
    .verdict('report', 'pass')
    .finish('verified', 'the verdict is a pass', { output: { node: 'report', digest: sha256('report') } })
    .build();
}

/** Ctrl-C while two nodes run, one of them asking a model. */
export function interruptedRun(): FlightEvent[] {
  return interrupted().build();
}

/** The same run, taken up an hour later and ended. */
export function resumedRun(): FlightEvent[] {
  return interrupted()
    .wait(3_600_000)
    .add('run.resumed', { rules: 1 })
    .nodeStart('paris')
    .nodeRun('report', 30, '# Paris')
    .wait(10)
    .nodeDone('paris', { population: 2_148_000 })
    .finish('unverified', 'the task asks for no verification', {
      output: { node: 'report', digest: sha256('report') },
    })
    .build();
}

function interrupted(): FlightBuilder {
  return planned(new FlightBuilder().start())
    .call('plan/1', 'planner')
    .plan([population('paris', 'Paris'), report()], 'report', { key: 'plan/1' })
    .nodeStart('paris')
    .nodeStart('report')
    .wait(10)
    .ask('report', 1, 1, 'aggregator')
    .request('report/1/1', 'aggregator', { node: 'report' })
    .wait(40)
    .add('cancel.requested', { reason: 'Ctrl-C' })
    .wait(1)
    .add('node.cancelled', { node: 'paris', attempt: 1 })
    .wait(2)
    .add('run.interrupted', {});
}
