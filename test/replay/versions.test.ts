/*
 * Logs of older versions, made here: of lines as an older version would have written them, and of decisions as older
 * rules would have made them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/engine/replay.ts';
import { CHAIN_START, expectedSum, FLIGHT_VERSION, lineSum, type Versions } from '../../src/flight/codec.ts';
import type { EventOf, FlightEvent } from '../../src/flight/events.ts';
import { type LogContents, readLog } from '../../src/flight/read-log.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { RULE_SETS, type RuleSet } from '../../src/run/rule-sets.ts';
import { RULES_VERSION } from '../../src/run/rules.ts';
import { GOLDEN } from './golden-logs.ts';
import { runScenario } from './scenario.ts';

/** The next version, in which the count of nodes of a level has another name; this one is the older. */
const NEXT: Versions = {
  current: FLIGHT_VERSION + 1,
  upcasts: {
    [FLIGHT_VERSION]: (event) => {
      if (event['type'] !== 'level.started') return event;
      const { count = 0, ...rest } = event;
      return { ...rest, nodes: count };
    },
  },
};

function read(lines: readonly string[], versions: Versions): Promise<LogContents> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return readLog(bytes, { file: 'log', readBlob: () => Promise.reject(new Error('no blobs')) }, versions);
}

/** The lines of a log, those before `from` as the older version would have written them, the others by the next one. */
function mixedLines(from: number): string[] {
  const lines = readFileSync(join(GOLDEN, 'city-compare-v1.jsonl'), 'utf8').trimEnd().split('\n');
  const mixed: string[] = [];
  for (const [index, line] of lines.entries()) {
    const isOld = index < from;
    const event = JSON.parse(line) as JsonObject;
    const fields = isOld && event['type'] === 'level.started' ? { ...event, count: event['nodes'] } : event;
    const written = { ...fields, v: isOld ? FLIGHT_VERSION : FLIGHT_VERSION + 1 } as Record<string, unknown>;
    if (isOld && event['type'] === 'level.started') delete written['nodes'];
    // What seals a line stands at its end.
    delete written['durable'];
    delete written['sum'];
    const open = JSON.stringify({ ...written, durable: event['durable'], sum: '0'.repeat(32) });
    const before = mixed.at(-1);
    const sum = expectedSum(open, before === undefined ? CHAIN_START : lineSum(before));
    mixed.push(open.replace(/0{32}"\}$/, `${sum}"}`));
  }
  return mixed;
}

describe('a log of an older version of the lines', () => {
  it('is brought up, and replays; also where a later version went on with it', async () => {
    const present = await read(
      readFileSync(join(GOLDEN, 'city-compare-v1.jsonl'), 'utf8').trimEnd().split('\n'),
      { current: FLIGHT_VERSION, upcasts: {} },
    );
    for (const from of [present.events.length, 8, 0]) {
      const { events } = await read(mixedLines(from), NEXT);
      expect(events, `from ${from}`).toEqual(present.events);
      expect(replay(events, true)).toMatchObject({ isComplete: true, divergence: null, warnings: [] });
    }
  });

  it('from before a setting existed is read with its default, and nothing else of it is changed', async () => {
    const [first = ''] = mixedLines(99);
    const event = JSON.parse(first) as {
      task: { limits: Record<string, unknown> } & Record<string, unknown>;
    };
    const inputs: unknown = JSON.parse('{"cities":["Lima"],"__proto__":{"odd":1}}');
    const limits: Record<string, unknown> = { ...event.task.limits };
    const older: Record<string, unknown> = { ...event.task, limits, inputs };
    delete older['walk'];
    delete limits['attempts'];
    const text = JSON.stringify({ ...event, task: older });
    const sum = expectedSum(text, CHAIN_START);
    const { events } = await read([text.replace(/[0-9a-f]{32}"\}$/, `${sum}"}`)], NEXT);
    const [started] = events as unknown as [{ task: Record<string, unknown> }];
    expect(started.task).toMatchObject({ walk: 'level', limits: { ...limits, attempts: 3 } });
    expect(JSON.stringify(started.task['inputs'])).toBe(JSON.stringify(inputs));
  });

  it('that takes a run up or forks it without other settings says nothing of any when it is read', async () => {
    for (const name of ['cancelled-and-resumed', 'budget-raised', 'forked']) {
      const written = readFileSync(join(GOLDEN, `${name}-v1.jsonl`), 'utf8')
        .trimEnd()
        .split('\n');
      const { events } = await read(written, { current: FLIGHT_VERSION, upcasts: {} });
      for (const [index, event] of events.entries()) {
        if (event.type !== 'run.resumed' && event.type !== 'run.forked') continue;
        const line = JSON.parse(written[index] ?? '') as Record<string, unknown>;
        const frame = ['v', 'durable', 'sum'];
        const fields = Object.fromEntries(Object.entries(line).filter(([key]) => !frame.includes(key)));
        expect(event).toEqual(fields);
      }
    }
  });

  it('that can no longer be brought up is refused, with the version', async () => {
    await expect(read(mixedLines(8), { ...NEXT, upcasts: {} })).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringContaining(`version ${FLIGHT_VERSION} can no longer be read`) as string,
    });
  });

  it('of a newer version is refused, with what can be done', async () => {
    await expect(read(mixedLines(0), { current: FLIGHT_VERSION, upcasts: {} })).rejects.toMatchObject({
      code: 'log_corrupt',
      hint: 'Read this log with the version of the program that wrote it.',
    });
  });
});

const PRESENT = RULE_SETS.get(RULES_VERSION)!;
const OLDER = 7;
const OLDER_TIMEOUT_MS = 4321;

/** Rules that gave each model call as long, whatever the task said. */
const olderRules: RuleSet = (events) => {
  const run = PRESENT(events);
  return {
    ...run,
    owed: () => {
      const owed = run.owed();
      return owed?.type === 'model.requested' ? { ...owed, timeoutMs: OLDER_TIMEOUT_MS } : owed;
    },
  };
};

const WITH_OLDER = new Map([
  [OLDER, olderRules],
  [RULES_VERSION, PRESENT],
]);

type Start = EventOf<'run.started'> | EventOf<'run.resumed'> | EventOf<'run.forked'>;

function isStart(event: FlightEvent): event is Start {
  return event.type === 'run.started' || event.type === 'run.resumed' || event.type === 'run.forked';
}

/** The events of a scenario as the older rules would have decided them up to the `nth` start of the log. */
async function decidedBefore(name: string, nth: number): Promise<FlightEvent[]> {
  let starts = 0;
  return (await runScenario(name)).map((event) => {
    if (isStart(event)) starts++;
    if (starts >= nth) return event;
    if (isStart(event)) return { ...event, rules: OLDER };
    return event.type === 'model.requested' ? { ...event, timeoutMs: OLDER_TIMEOUT_MS } : event;
  });
}

describe('a log of older decision rules', () => {
  it('is recomputed by those where they are kept, and held to them', async () => {
    const events = await decidedBefore('retry-foreach-revision', 2);
    expect(replay(events, true, WITH_OLDER)).toEqual({
      ...{ events: events.length, isComplete: true, warnings: [], divergence: null },
    });
    const decidedNow = events.map((event) => (isStart(event) ? { ...event, rules: RULES_VERSION } : event));
    expect(replay(decidedNow, false, WITH_OLDER).divergence).toMatchObject({
      ...{ type: 'model.requested', field: 'timeoutMs', recorded: OLDER_TIMEOUT_MS },
    });
    const otherwise = events.map((event) =>
      event.type === 'model.requested' ? { ...event, timeoutMs: 1 } : event,
    );
    expect(replay(otherwise, false, WITH_OLDER).divergence).toMatchObject({
      recorded: 1,
      computed: OLDER_TIMEOUT_MS,
    });
  });

  it('is read, and plainly not recomputed, where they are not', async () => {
    const events = await decidedBefore('retry-foreach-revision', 2);
    const last = events.length - 1;
    expect(replay(events, true)).toEqual({
      ...{ events: events.length, isComplete: true, divergence: null },
      warnings: [
        `events 0 to ${last} were decided by rules ${OLDER}, which this version cannot recompute (it has rules ${RULES_VERSION})`,
      ],
      notRecomputed: [{ from: 0, to: last, rules: OLDER }],
    });
  });

  it('that a later version took up is recomputed from there on, by the rules of each part', async () => {
    const events = await decidedBefore('cancelled-and-resumed', 2);
    const taken = events.findIndex(({ type }) => type === 'run.resumed');
    expect(replay(events, true, WITH_OLDER)).toMatchObject({
      isComplete: true,
      warnings: [],
      divergence: null,
    });
    expect(replay(events)).toMatchObject({
      ...{ isComplete: true, divergence: null },
      notRecomputed: [{ from: 0, to: taken - 1, rules: OLDER }],
    });
    const edited = events.map((event, index) =>
      index > taken && event.type === 'level.started' ? { ...event, nodes: 9 } : event,
    );
    expect(replay(edited).divergence).toMatchObject({ type: 'level.started', field: 'nodes', recorded: 9 });
  });

  it('whose events mean something else by now is not recomputed any further, and said so', async () => {
    const events = await decidedBefore('cancelled-and-resumed', 2);
    const taken = events.findIndex(({ type }) => type === 'run.resumed');
    const unreadable = events.filter(({ type }, index) => index > taken || type !== 'plan.accepted');
    expect(replay(unreadable)).toMatchObject({
      divergence: null,
      notRecomputed: [
        { from: 0, rules: OLDER },
        { rules: RULES_VERSION, to: unreadable.length - 1 },
      ],
    });
  });
});

describe('an event that cannot follow from those before it', () => {
  it('is told as such', async () => {
    const events = await runScenario('plan-supplied');
    // While a call is under way nothing is owed, and any input may come.
    const seq = events.findIndex(({ type }) => type === 'node.started') + 1;
    const stray: FlightEvent = { seq, at: 0, type: 'node.done', node: 'nowhere', attempt: 1, value: 1 };
    const odd = events.toSpliced(seq, 0, stray);
    expect(() => replay(odd)).toThrow(
      expect.objectContaining({
        code: 'log_corrupt',
        message: expect.stringContaining('cannot follow from those before it') as string,
      }) as Error,
    );
  });
});
