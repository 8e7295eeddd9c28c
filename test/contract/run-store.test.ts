import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunStore } from '../../src/contracts/ports.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import type { Json } from '../../src/kernel/json.ts';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { resultAt, temporaryFolder } from '../support/flight-events.ts';
import { noteAt, notes } from '../support/flight-notes.ts';

interface Fixture {
  readonly store: RunStore<FlightEvent>;
  readonly readArtifact: (runId: string, name: string) => string | undefined;
}

const implementations: Record<string, () => Fixture> = {
  FileRunStore() {
    const root = join(temporaryFolder(), 'not', 'there', 'yet');
    return {
      store: new FileRunStore(root),
      readArtifact: (runId, name) => readFileSync(join(root, runId, name), 'utf8'),
    };
  },
  MemoryRunStore() {
    const store = new MemoryRunStore();
    return { store, readArtifact: (runId, name) => store.readArtifact(runId, name) };
  },
};

describe.each(Object.entries(implementations))('%s', (_, start) => {
  it('keeps what was appended', async () => {
    const { store } = start();
    const events = [
      noteAt(0),
      resultAt(1, { text: '\ud800 "$15" \u2028', large: 'x'.repeat(40_000) }),
      noteAt(2),
    ];
    const run = await store.create('r1');
    expect(run).toMatchObject({ runId: 'r1', events: [] });
    for (const event of events) run.log.append(event);
    await run.log.whenDurable(2);
    expect(run.log.durableSeq).toBe(2);
    expect(await store.read('r1')).toEqual(events);
    await run.log.close();
    expect(await store.read('r1')).toEqual(events);
  });

  it('derives what follows from the events, as they are by then', async () => {
    const { store } = start();
    const run = await store.create('r1');
    run.log.append(noteAt(0));
    await run.log.close();
    const count = (events: readonly FlightEvent[]): Json => ({ events: events.length });
    for (let time = 0; time < 2; time++)
      expect(await store.derive('r1', 'count', count)).toEqual({ events: 1 });
    expect(await store.derive('r', 'other', () => 'else')).toBe('else');
    const again = await store.open('r1');
    again.log.append(noteAt(1));
    await again.log.close();
    expect(await store.derive('r1', 'count', count)).toEqual({ events: 2 });
    await expect(store.derive('r2', 'count', count)).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('knows whether a run is held', async () => {
    const { store } = start();
    const run = await store.create('r1');
    expect(await store.isHeld('r1')).toBe(true);
    await run.log.close();
    expect(await store.isHeld('r1')).toBe(false);
    await expect(store.isHeld('r2')).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('goes on where it stopped', async () => {
    const { store } = start();
    for (let part = 0; part < 3; part++) {
      const run = part === 0 ? await store.create('r1') : await store.open('r1');
      expect(run.events).toEqual(notes(part * 2));
      expect(run.log.durableSeq).toBe(part * 2 - 1);
      for (const event of notes(2, part * 2)) run.log.append(event);
      await run.log.close();
      expect(run.log.durableSeq).toBe(part * 2 + 1);
    }
    expect(await store.read('r1')).toEqual(notes(6));
  });

  it('hands out events that later appends do not change', async () => {
    const { store } = start();
    const run = await store.create('r1');
    run.log.append(noteAt(0));
    await run.log.whenDurable(0);
    const before = await store.read('r1');
    run.log.append(noteAt(1));
    await run.log.close();
    expect(before).toEqual(notes(1));
    expect(run.events).toEqual([]);
  });

  it('takes events in order only, and none after close', async () => {
    const { store } = start();
    const run = await store.create('r1');
    expect(() => {
      run.log.append(noteAt(1));
    }).toThrow('event 1 was appended after event -1');
    run.log.append(noteAt(0));
    expect(() => {
      run.log.append(noteAt(0));
    }).toThrow('event 0 was appended after event 0');
    await run.log.close();
    await run.log.close();
    await run.log.whenDurable(0);
    expect(() => {
      run.log.append(noteAt(1));
    }).toThrow(/closed/);
    await expect(run.log.whenDurable(1)).rejects.toMatchObject({ code: 'log_write_failed' });
    expect(await store.read('r1')).toEqual(notes(1));
  });

  it('creates a run once', async () => {
    const { store } = start();
    const run = await store.create('r1');
    await expect(store.create('r1')).rejects.toMatchObject({ code: 'run_exists' });
    await run.log.close();
    await expect(store.create('r1')).rejects.toMatchObject({ code: 'run_exists' });
    for (const id of ['', 'last', '..', '../r2', 'a/b', '.hidden']) {
      await expect(store.create(id), id).rejects.toMatchObject({ code: 'usage' });
    }
    expect(await store.list()).toEqual(['r1']);
  });

  it('lets one hold a run', async () => {
    const { store } = start();
    const run = await store.create('r1');
    await expect(store.open('r1')).rejects.toMatchObject({ code: 'run_locked' });
    await expect(store.remove('r1')).rejects.toMatchObject({ code: 'run_locked' });
    expect(await store.read('r1')).toEqual([]);
    await run.log.close();
    const outcomes = await Promise.allSettled([store.open('r1'), store.open('r1')]);
    const opened = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(opened).toHaveLength(1);
    await opened[0]?.log.close();
    await (await store.open('r1')).log.close();
  });

  it('finds runs by id, unique prefix or as the last', async () => {
    const { store } = start();
    expect(await store.list()).toEqual([]);
    await expect(store.resolve('last')).rejects.toMatchObject({ code: 'run_not_found' });
    for (const id of ['20260101-a', '20260102-b', '20260102-c']) await (await store.create(id)).log.close();
    expect(await store.list()).toEqual(['20260102-c', '20260102-b', '20260101-a']);
    expect(await store.resolve('last')).toBe('20260102-c');
    expect(await store.resolve('20260101')).toBe('20260101-a');
    expect(await store.read('20260101')).toEqual([]);
    const run = await store.open('last');
    expect(run.runId).toBe('20260102-c');
    await run.log.close();
    await expect(store.open('20260102')).rejects.toMatchObject({
      code: 'run_not_found',
      details: { candidates: ['20260102-c', '20260102-b'] },
    });
    const outside = '../20260101-a';
    const actions = [store.open(outside), store.read(outside), store.resolve(outside), store.remove(outside)];
    for (const outcome of await Promise.allSettled(actions)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'run_not_found' } });
    }
  });

  it('removes runs', async () => {
    const { store } = start();
    for (const id of ['r1', 'r2']) {
      const run = await store.create(id);
      run.log.append(noteAt(0, 'x'.repeat(20_000)));
      await run.log.close();
    }
    await store.remove('r1');
    expect(await store.list()).toEqual(['r2']);
    await expect(store.read('r1')).rejects.toMatchObject({ code: 'run_not_found' });
    expect(await store.read('r2')).toHaveLength(1);
    await (await store.create('r1')).log.close();
    expect(await store.read('r1')).toEqual([]);
  });

  it('hands over what was posted, oldest first, until it was accepted', async () => {
    const { store } = start();
    const run = await store.create('r1');
    await run.takeInbox(() => Promise.reject(new Error('there is nothing')));
    for (const posted of ['one', { two: 2 }, [3]]) {
      await store.post('r1', posted);
      await delay(2);
    }
    await expect(run.takeInbox(() => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
    await run.log.close();
    const again = await store.open('r1');
    const taken: Json[] = [];
    const take = async (): Promise<void> => {
      await again.takeInbox((posted) => {
        taken.push(...posted);
        return Promise.resolve();
      });
    };
    await take();
    await take();
    expect(taken).toEqual(['one', { two: 2 }, [3]]);
    await store.post('r1', 4);
    await take();
    expect(taken).toHaveLength(4);
    await again.log.close();
    await expect(store.post('r2', 1)).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('writes artifacts beside the log, over those before', async () => {
    const { store, readArtifact } = start();
    const run = await store.create('r1');
    await run.writeArtifact('report.md', 'one, which is longer');
    await run.writeArtifact('report.md', 'two ä');
    expect(readArtifact('r1', 'report.md')).toBe('two ä');
    for (const name of ['../x', 'a/b', 'flight.jsonl', 'lock', 'blobs', '.x', '']) {
      await expect(run.writeArtifact(name, ''), name).rejects.toMatchObject({ code: 'internal' });
    }
    await run.log.close();
  });
});

describe('FileRunStore', () => {
  it('takes a run whose holder is dead for one that nobody holds', async () => {
    const root = temporaryFolder();
    const store = new FileRunStore(root);
    const run = await store.create('r1');
    await run.log.close();
    const lock = join(root, 'r1', 'lock');
    mkdirSync(lock);
    const owner = { pid: 2 ** 22 + 1, host: hostname(), started: '1' };
    writeFileSync(join(lock, 'token'), JSON.stringify(owner));
    expect(await store.isHeld('r1')).toBe(false);
    writeFileSync(join(lock, 'token'), JSON.stringify({ ...owner, host: 'elsewhere' }));
    expect(await store.isHeld('r1')).toBe(true);
  });

  it('passes over what is no posting of its own', async () => {
    const root = temporaryFolder();
    const store = new FileRunStore(root);
    const run = await store.create('r1');
    await store.post('r1', 'good');
    const inbox = join(root, 'r1', 'inbox');
    writeFileSync(join(inbox, 'notes.txt'), '"by hand"');
    writeFileSync(join(inbox, '000000000000001-0.json'), '{"torn');
    writeFileSync(join(inbox, '000000000000002-0.json.tmp'), '"half"');
    const taken: Json[] = [];
    await run.takeInbox((posted) => {
      taken.push(...posted);
      return Promise.resolve();
    });
    expect(taken).toEqual(['good']);
    await run.log.close();
  });

  it('keeps a run in a folder that says what it is', async () => {
    const root = temporaryFolder();
    const run = await new FileRunStore(root).create('r1');
    expect(run.folder).toBe(join(root, 'r1'));
    expect(existsSync(join(root, 'r1', 'inbox'))).toBe(true);
    run.log.append(noteAt(0));
    await run.log.close();
    expect(readFileSync(join(root, 'r1', 'flight.jsonl'), 'utf8')).toMatch(/^\{"v":1,"seq":0,.*\}\n$/);
  });

  it('says so where its folder is a file', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const store = new FileRunStore(file);
    const refused = {
      ...{ code: 'usage', message: `${file} is not a folder: runs are kept in one` },
      hint: 'Name a folder with --runs-folder.',
    };
    await expect(store.list()).rejects.toMatchObject(refused);
    await expect(store.create('r1')).rejects.toMatchObject(refused);
    await expect(store.read('r1')).rejects.toMatchObject(refused);
    await expect(new FileRunStore(join(file, 'below')).create('r1')).rejects.toMatchObject({ code: 'usage' });
  });

  it('passes over what is no run', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'a-file'), '');
    const store = new FileRunStore(root);
    expect(await store.list()).toEqual([]);
    await expect(store.create('a-file')).rejects.toMatchObject({ code: 'run_exists' });
  });
});
