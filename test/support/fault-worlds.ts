/*
 * The runs that the fault tests kill. Whatever they do follows from their requests and from the files of their world, so
 * that a process that takes one up goes on as the one before would have.
 */
import { setTimeout as delay } from 'node:timers/promises';
import cityMock from '../../examples/city-compare/mock.ts';
import * as cityTools from '../../examples/city-compare/tools.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Provider, RunStore } from '../../src/contracts/ports.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import {
  type DriveOptions,
  forkTask,
  OrchestratorError,
  orchestrate,
  resumeTask,
  type RunResult,
  ToolError,
} from '../../src/index.ts';
import { foldEvents } from '../../src/run/evolve.ts';
import { toRunResult } from '../../src/run/run-result.ts';
import { answer, askingTool, echoTool, node, plan } from './core.ts';
import { agentWorlds } from './fault-agent-worlds.ts';
import { oddWorlds } from './fault-odd-worlds.ts';
import { approver, FIXTURES, sendTool, type World } from './fault-world.ts';

function byRole(reply: (request: ModelRequest) => string): Provider {
  return {
    name: 'by-role',
    async complete(request, { key }) {
      await delay(1);
      if (key === 'plan/1') throw new OrchestratorError('model_overloaded', 'busy');
      return answer(reply(request));
    },
  };
}

const FIRST_PLAN = plan(
  node('list', { tool: 'slow', args: { value: ['a', 'b', 'c'] } }),
  node('each', { tool: 'slow', args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
  node('number', { tool: 'strict', args: { number: { $ref: 'list', path: '/0' } } }),
  node('lost', { tool: 'missing', deps: ['list'] }),
  node('extra', { optional: true, args: { value: { $ref: 'list', path: '/nowhere' } } }),
  node('report', { tool: 'write', args: { about: [{ $ref: 'each' }, { $ref: 'lost' }, { $ref: 'extra' }] } }),
);

const SECOND_PLAN = plan(
  node('sent', { tool: 'send', args: { value: 'once' } }),
  node('number', { tool: 'strict', args: { number: { $ref: 'list', path: '/0' } } }),
  node('final', { tool: 'write', args: { about: [{ $ref: 'each' }, { $ref: 'number' }] }, deps: ['sent'] }),
);

function gatedReply(request: ModelRequest): string {
  switch (request.role) {
    case 'planner':
      return JSON.stringify(FIRST_PLAN);
    case 'replanner':
      return JSON.stringify(SECOND_PLAN);
    case 'repairer':
      return '{"number": 1}';
    case 'writer':
      return request.messages.length > 1 ? 'About Lima.' : 'About Rome.';
    case 'critic':
      return '{"score": 0.8, "issues": []}';
    default:
      throw new OrchestratorError('model_unscripted', request.role);
  }
}

/** A replan, an approval, an irreversible call, retries, a repair, a foreach, a question, a revision, a judge. */
const gated: World = (folder) => ({
  task: {
    ...{ name: 'gated', goal: 'Reach the goal.', concurrency: 2, limits: { backoffMs: 1 } },
    verify: { judge: 'on', checks: [{ includes: 'Lima' }, { function: './checks.mjs#namesLima' }] },
  },
  workspace: FIXTURES,
  tools: [
    echoTool(),
    askingTool,
    echoTool('slow', {
      run: async (args, { key, log }) => {
        await delay(1);
        if (key === 'list/1') throw new ToolError('TRANSIENT', 'busy');
        log(`looked up ${key}`);
        return (args as { value: string }).value;
      },
    }),
    echoTool('strict', {
      input: {
        ...{ type: 'object', properties: { number: { type: 'number' } } },
        ...{ required: ['number'], additionalProperties: false },
      },
      run: (args) => (args as { number: number }).number,
    }),
    echoTool('missing', {
      run: () => {
        throw new ToolError('MISSING_INFO', 'not to be had');
      },
    }),
    sendTool(folder),
  ],
  provider: byRole(gatedReply),
  approve: approver(folder),
});

/** The example on real data, its tools and its mock given as code. */
const cities: World = () => ({
  task: {
    name: 'city-compare',
    goal: 'Compare {{cities}} by population, time zone and location.',
    inputs: { cities: ['Tokyo', 'Paris', 'Lima'] },
    verify: {
      checks: [{ includes: '{{cities}}' }, { sections: '{{cities}}' }, { grounded: true }],
      judge: 'on',
      rubric: 'Each section states what the look-ups gave.',
    },
  },
  workspace: FIXTURES,
  tools: [
    ...[cityTools.getPopulation, cityTools.getTimezone, cityTools.getLocation],
    ...[cityTools.summarizeCity, cityTools.aggregateReport],
  ],
  provider: cityMock,
});

/** Thirty nodes, among them one that is irreversible, each of some milliseconds. */
const thirty: World = (folder) => {
  const ids = Array.from({ length: 28 }, (_, index) => `n${index}`);
  const nodes = ids.map((id, index) =>
    node(id, { tool: 'slow', args: { value: id }, deps: index < 4 ? [] : [`n${index - 4}`] }),
  );
  nodes.splice(14, 0, node('sent', { tool: 'send', args: { value: 1 }, deps: ['n12'] }));
  nodes.push(node('end', { args: { value: 'end' }, deps: ['n24', 'n25', 'n26', 'n27', 'sent'] }));
  return {
    task: { name: 'thirty', goal: 'Run them all.', walk: 'eager', verify: { judge: 'off' } },
    workspace: FIXTURES,
    tools: [
      echoTool(),
      echoTool('slow', {
        run: async (args) => {
          await delay(4);
          return (args as { value: string }).value;
        },
      }),
      sendTool(folder),
    ],
    provider: {
      name: 'by-role',
      complete: () => Promise.resolve(answer(JSON.stringify(plan(...nodes)))),
    },
    approve: approver(folder),
  };
};

/** The runs of the fault tests by name. */
export const worlds: Readonly<Record<string, World>> = {
  ...{ cities, gated, thirty },
  ...oddWorlds,
  ...agentWorlds,
};

/** The run of a world, begun or taken up where it is, to its end; one that is interrupted is taken up again. */
export async function goOn(
  name: string,
  folder: string,
  store: RunStore<FlightEvent>,
  runId: string,
  more: Pick<DriveOptions, 'clock'> = {},
): Promise<RunResult> {
  const world = worlds[name];
  if (world === undefined) throw new Error(`no world ${name}`);
  for (;;) {
    const result = await takeStep({ ...world(folder), ...more }, store, runId);
    if (result.status !== 'interrupted') return result;
  }
}

async function takeStep(
  { origin, talk, ...options }: ReturnType<World> & Pick<DriveOptions, 'clock'>,
  store: RunStore<FlightEvent>,
  runId: string,
): Promise<RunResult> {
  const begin = async (): Promise<RunResult> => {
    if (talk !== undefined) return talk(store, options, runId, false);
    const id = await origin?.(store, options, runId);
    if (id === undefined) return orchestrate({ ...options, store, runId });
    return id === runId
      ? resumeTask(runId, { ...options, store })
      : forkTask(id, { ...options, ...FORK, store, runId });
  };
  if (!(await store.list()).includes(runId)) return begin();
  const events = await store.read(runId);
  if (!hasBegun(events, runId, origin !== undefined)) {
    // Killed before its first event was safe, or before it was a run of its own: nothing had begun.
    await store.remove(runId);
    return begin();
  }
  if (talk !== undefined) return talk(store, options, runId, true);
  const state = foldEvents(events);
  if (state.finished !== null && state.finished.status !== 'waiting') return toRunResult(state, null);
  return resumeTask(runId, { ...options, store });
}

/** Where the run of a world leaves its origin, and how it differs from there. */
const FORK = { at: 'send', set: { 'send.args.value': 'other' } } as const;

/** A run that comes of another one holds the events of that first. */
function hasBegun(events: readonly FlightEvent[], runId: string, hasOrigin: boolean): boolean {
  if (!hasOrigin) return events.length > 0;
  return events.some(
    (event) => event.type === 'run.resumed' || (event.type === 'run.forked' && event.runId === runId),
  );
}

/**
 * What must be equal at every end of a world: status, answer, verdict and how each node ended. Where the budget stopped
 * the run, a crash may have left a node to the stop that had its call, so that of the nodes only their ids count.
 */
export function endOf({ status, answer: value, verdict, nodes }: RunResult): unknown {
  const ends = nodes.map(({ id, tool, state }) => (status === 'budget' ? id : [id, tool, state]));
  return { status, value, verdict, nodes: ends };
}
