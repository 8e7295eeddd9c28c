/*
 * Processes that are killed for good at the events of a run: whoever resumes reaches the end of an uninterrupted run, and
 * the irreversible call is never made twice. In CI once per event type; SORTIE_FAULT_MATRIX=1 takes every event at every
 * phase.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventSchemas, type FlightEvent } from '../../src/flight/events.ts';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { replayRun } from '../../src/index.ts';
import { bundleChild, inParallel, type KillOrder, PHASES, startChild } from '../support/fault-order.ts';
import { countSent } from '../support/fault-world.ts';
import { endOf, goOn, worlds } from '../support/fault-worlds.ts';
import { temporaryFolder } from '../support/flight-events.ts';

const isWhole = process.env['SORTIE_FAULT_MATRIX'] === '1';

bundleChild();

async function runWhole(
  world: string,
): Promise<{ end: unknown; sent: number; events: readonly FlightEvent[] }> {
  const folder = temporaryFolder();
  const store = new MemoryRunStore();
  const result = await goOn(world, folder, store, 'whole');
  return { end: endOf(result), sent: countSent(folder), events: await store.read('whole') };
}

/** Every event at every phase, or the first of each type that is not among those at one phase, in turn. */
function killsOf(events: readonly FlightEvent[], left: ReadonlySet<string>): KillOrder[] {
  if (isWhole) {
    return events.flatMap((event) =>
      PHASES.filter((phase) => phase !== 'done' || hasEffect(event)).map((phase) => ({
        seq: event.seq,
        phase,
      })),
    );
  }
  const types = [...new Set(events.map(({ type }) => type))].filter((type) => !left.has(type));
  return types.map((type, index) => {
    const event = events.find((each) => each.type === type) as FlightEvent;
    const phases = PHASES.filter((phase) => phase !== 'done' || hasEffect(event));
    return { seq: event.seq, phase: phases[index % phases.length] ?? 'before' };
  });
}

function hasEffect(event: FlightEvent): boolean {
  return (
    (event.type === 'node.started' && event.agent === undefined) ||
    event.type === 'model.requested' ||
    (event.type === 'call.started' && event.timeoutMs > 0)
  );
}

/** The irreversible call, at every phase: there it counts. */
function killsOfSend(events: readonly FlightEvent[]): KillOrder[] {
  return events.flatMap((event) => {
    const isNode = 'node' in event && event.node === 'sent';
    if (!isNode && !(event.type === 'call.started' && event.tool === 'send')) return [];
    return PHASES.filter((phase) => phase !== 'done' || hasEffect(event)).map((phase) => ({
      seq: event.seq,
      phase,
    }));
  });
}

const WORLDS = Object.keys(worlds).filter((world) => world !== 'thirty');
/** In these each type of event is killed; in the others only what they do not hold. */
const MAIN_WORLDS = ['cities', 'gated'];

async function typesOf(names: readonly string[]): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const world of names) for (const { type } of (await runWhole(world)).events) seen.add(type);
  return seen;
}

describe('the runs that are killed', () => {
  it('hold every type of event', async () => {
    const seen = await typesOf(WORLDS);
    expect(Object.keys(eventSchemas).filter((type) => !seen.has(type))).toEqual([]);
  });
});

describe.each(WORLDS)('the run "%s"', (world) => {
  it(
    'killed at an event ends, when it is resumed, as if nothing had happened',
    async () => {
      const whole = await runWhole(world);
      const left = await typesOf(isWhole || MAIN_WORLDS.includes(world) ? [] : MAIN_WORLDS);
      const kills = isWhole
        ? killsOf(whole.events, left)
        : [...killsOf(whole.events, left), ...killsOfSend(whole.events)];
      let killed = 0;
      await inParallel(kills, 2, async (kill) => {
        const folder = temporaryFolder();
        const root = join(folder, 'runs');
        mkdirSync(root);
        const where = `${kill.phase} of event ${kill.seq} (${whole.events[kill.seq]?.type ?? ''})`;
        const child = await startChild({ world, folder, root, runId: 'r1', kill }).ended;
        if (child.signal === 'SIGKILL') killed++;
        else expect(child.stdout, `${where}: ${child.stderr}`).toMatch(/^end /);
        const store = new FileRunStore(root);
        const result = await goOn(world, folder, store, 'r1');
        expect(endOf(result), where).toEqual(whole.end);
        expect(countSent(folder), where).toBe(whole.sent);
        const report = await replayRun('r1', { store, strict: true });
        expect(report, where).toMatchObject({ divergence: null, isComplete: true });
      });
      if (isWhole)
        process.stdout.write(`${world}: ${killed} of ${kills.length} processes were killed at their event\n`);
      // Siblings may change places, so that now and then an event is another than the one of the whole run.
      expect(killed).toBeGreaterThan(kills.length * 0.8);
    },
    isWhole ? 3_600_000 : 120_000,
  );
});
