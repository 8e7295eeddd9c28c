import type { Clock, FlightLog, Provider } from '../../src/contracts/ports.ts';
import { type Task, type TaskInput, taskSchema } from '../../src/contracts/task.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { beginRun, resumeRun } from '../../src/engine/begin.ts';
import type { Driver } from '../../src/engine/driver.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryFlightLog } from '../../src/flight/memory-log.ts';
import type { Json } from '../../src/kernel/json.ts';
import { acceptResult } from '../../src/tools/accept-result.ts';
import { Catalogue } from '../../src/tools/catalogue.ts';

/** A provider for runs that ask no model. */
export const noProvider: Provider = {
  name: 'none',
  complete: (request) => Promise.reject(new Error(`nobody scripted ${request.role}`)),
};

/** A run through the real driver, its log in memory unless one is given. */
export interface EngineRun {
  readonly tools: readonly Tool[];
  readonly task?: Partial<TaskInput>;
  readonly plan?: Json;
  readonly provider?: Provider;
  readonly log?: FlightLog<FlightEvent>;
  readonly clock?: Clock;
  readonly ports?: Partial<EnginePorts>;
  readonly attended?: boolean;
}

/** A driver for a run, and the events as they are appended. */
export function engineRun(run: EngineRun): { driver: Driver; events: FlightEvent[] } {
  const events: FlightEvent[] = [];
  const task = taskOf(run);
  const driver = beginRun(
    {
      runId: 'test',
      task,
      goal: task.goal,
      workspace: '/',
      ...(run.plan === undefined ? {} : { plan: JSON.stringify(run.plan) }),
      ...(run.attended === true ? { attended: true } : {}),
    },
    new Catalogue(run.tools).publish(task.policy),
    portsOf(run, events),
  );
  return { driver, events };
}

/** A driver that takes a run up after these events, and all its events as they are appended. */
export function resumedRun(
  run: EngineRun,
  recorded: readonly FlightEvent[],
): { driver: Driver; events: FlightEvent[] } {
  const events = [...recorded];
  const ports = portsOf({ ...run, log: new MemoryFlightLog([...recorded]) }, events);
  return { driver: resumeRun(recorded, run.attended === true ? { attended: true } : {}, ports), events };
}

function taskOf(run: EngineRun): Task {
  return taskSchema.parse({
    name: 'test',
    goal: 'Reach the goal.',
    tools: ['given'],
    provider: 'given',
    ...run.task,
  });
}

function portsOf(run: EngineRun, events: FlightEvent[]): EnginePorts {
  const catalogue = new Catalogue(run.tools);
  const find = (name: string): Tool => {
    const tool = catalogue.find(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  return {
    providers: new Map([['given', run.provider ?? noProvider]]),
    callTool: (name, args, context) => find(name).run(args, context),
    acceptResult: (name, returned) => acceptResult(find(name), returned),
    callCheck: () => Promise.reject(new Error('no checks')),
    log: run.log ?? new MemoryFlightLog(),
    clock: run.clock ?? systemClock,
    random: { draw: () => 0.5 },
    ...run.ports,
    onEvent: (event, state) => {
      events.push(event);
      run.ports?.onEvent?.(event, state);
    },
  };
}
