import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRunStore } from '../../../src/flight/file-store.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { exportLog, importLog, orchestrate, replayRun, verifyLog } from '../../../src/index.ts';
import { echoTool, node, only } from '../../support/core.ts';
import { planned } from '../../support/composed.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const NODES = [
  node('a', { args: { value: 'one' } }),
  node('b', { args: { value: { $ref: 'a' } } }),
  node('c', { args: { value: [{ $ref: 'a' }, { $ref: 'b' }] } }),
];

async function recorded() {
  const root = temporaryFolder();
  const store = new FileRunStore(root);
  const { options } = planned([echoTool()], NODES, { store });
  await orchestrate(options);
  return { root, store, file: join(root, 'r1', 'flight.jsonl'), events: await store.read('r1') };
}

/** Writes events as a log whose chain holds, and verifies it. */
async function verifyEvents(events: readonly FlightEvent[]) {
  const root = temporaryFolder();
  const run = await new FileRunStore(root).create('r1');
  for (const [seq, event] of events.entries()) run.log.append({ ...event, seq });
  await run.log.close();
  return verifyLog(join(root, 'r1', 'flight.jsonl'));
}

describe('a log that is verified', () => {
  it('holds, by run and by file', async () => {
    const { root, file, events } = await recorded();
    expect(await verifyLog('last', { runsFolder: root })).toEqual({
      file,
      events: events.length,
      fault: null,
    });
    expect(await verifyLog(file)).toMatchObject({ fault: null });
    await expect(verifyLog('r9', { runsFolder: root })).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('is bad where a line was edited, and names the line', async () => {
    const { file } = await recorded();
    const lines = readFileSync(file, 'utf8').split('\n');
    const before = lines.slice(0, 5).join('\n').length + 1;
    writeFileSync(file, lines.with(5, (lines[5] ?? '').replace('"type"', '"Type"')).join('\n'));
    expect(await verifyLog(file)).toMatchObject({
      events: 5,
      fault: { seq: 5, offset: before, line: expect.stringContaining('"Type"') as string },
    });
  });

  it('is bad where an event that matters was put twice or dropped, though its chain holds', async () => {
    const { events } = await recorded();
    for (let at = 0; at < events.length - 1; at++) {
      const type = events[at]?.type ?? '';
      if (['catalogue.published', 'level.started', 'model.requested', 'verdict.reached'].includes(type))
        continue;
      const twice = events.toSpliced(at, 0, events[at] as FlightEvent);
      expect((await verifyEvents(twice)).fault, `${type} twice at ${at}`).not.toBeNull();
    }
    for (const type of ['run.started', 'plan.accepted', 'node.started', 'node.done'] as const) {
      const at = events.findIndex((event) => event.type === type);
      expect((await verifyEvents(events.toSpliced(at, 1))).fault, `without ${type}`).not.toBeNull();
    }
  });

  it.each([
    [
      'a node that starts before its dependency',
      (events: FlightEvent[]) => {
        const start = events.findIndex((event) => event.type === 'node.started' && event.node === 'b');
        const moved = events.splice(start, 1);
        events.splice(
          events.findIndex((event) => event.type === 'node.started'),
          0,
          ...moved,
        );
      },
      /b started before a was settled/,
    ],
    [
      'a success without its output',
      (events: FlightEvent[]) => {
        const done = events.findIndex((event) => event.type === 'node.done' && event.node === 'c');
        events.splice(done, 1);
      },
      /output node is not done/,
    ],
    [
      'an event behind the end',
      (events: FlightEvent[]) => {
        events.push({ seq: 0, at: 0, type: 'timer.fired' });
      },
      /timer.fired stands behind the end/,
    ],
  ])('is bad with %s', async (_, spoil, problem) => {
    const events = [...(await recorded()).events];
    spoil(events);
    expect((await verifyEvents(events)).fault?.problem).toMatch(problem);
  });
});

describe('an exported run', () => {
  it('comes back as it was, its chain computed anew', async () => {
    const { store, events } = await recorded();
    const exported = await exportLog(store, 'last');
    expect(exported).toMatchObject({ runId: 'r1', redacted: 0 });
    const file = join(temporaryFolder(), 'run.json');
    writeFileSync(file, JSON.stringify(exported));
    const other = new MemoryRunStore();
    expect(await importLog(other, file)).toEqual({ runId: 'r1', events: events.length, redacted: 0 });
    expect(await other.read('r1')).toEqual(events);
    expect(await replayRun('r1', { store: other, strict: true })).toMatchObject({ divergence: null });
    await expect(importLog(other, file)).rejects.toMatchObject({ code: 'run_exists' });
  });

  it('holds nothing that looks like a credential', async () => {
    const secrets = [
      `sk-${'a1B2'.repeat(8)}`,
      `ghp_${'x'.repeat(36)}`,
      `AKIA${'Z'.repeat(16)}`,
      `eyJ${'h'.repeat(10)}.eyJ${'b'.repeat(10)}.${'s'.repeat(10)}`,
      `-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----`,
    ];
    const store = new MemoryRunStore();
    const value = [
      ...secrets,
      `Authorization: Bearer ${'t'.repeat(20)}`,
      'postgres://me:hunter22@host/db',
      'api_key=abcdefghijkl12',
    ];
    const { options } = planned([echoTool()], [node('a', { args: { value } })], { store });
    await orchestrate(options);
    const exported = await exportLog(store, 'r1');
    const text = JSON.stringify(exported);
    for (const secret of [
      ...secrets.map((each) => JSON.stringify(each).slice(1, -1)),
      't'.repeat(20),
      'hunter22',
      'abcdefghijkl12',
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(exported.redacted).toBeGreaterThan(8);
    expect(text).toContain('postgres://me:[redacted]@host/db');
    const file = join(temporaryFolder(), 'run.json');
    writeFileSync(file, text);
    const other = new MemoryRunStore();
    expect(await importLog(other, file)).toMatchObject({ redacted: exported.redacted });
    expect(only(await other.read('r1'), 'node.done')).toHaveLength(1);
  });

  it('is refused where it is none, or was edited', async () => {
    const { store } = await recorded();
    const exported = await exportLog(store, 'last');
    const file = join(temporaryFolder(), 'run.json');
    const other = new MemoryRunStore();
    const { events } = exported;
    const bad: unknown[] = [
      '{',
      { ...exported, format: 'other' },
      { ...exported, events: events.toSpliced(3, 1) },
      { ...exported, events: [events[1], events[0], ...events.slice(2)] },
      { ...exported, runId: 'r7' },
      { ...exported, events: [] },
    ];
    for (const content of bad) {
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      await expect(importLog(other, file)).rejects.toMatchObject({ code: 'log_corrupt' });
    }
    await expect(importLog(other, 'not/there.json')).rejects.toMatchObject({ code: 'log_corrupt' });
    expect(await other.list()).toEqual([]);
  });
});
