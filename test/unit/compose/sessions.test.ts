/* The index over sessions: always as the logs are, and nothing but an index. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FileRunStore } from '../../../src/flight/file-store.ts';
import {
  createAgent,
  forkTask,
  openSessions,
  orchestrate,
  readTranscript,
  type Sessions,
} from '../../../src/index.ts';
import { resolveSession, tipOf } from '../../../src/compose/sessions.ts';
import type { SessionLine } from '../../../src/compose/session-record.ts';
import { calling, inTurn, lookUp, type Say, speaking } from '../../support/agent-run.ts';

const root = mkdtempSync(join(tmpdir(), 'sortie-sessions-'));
let runs = '';
let count = 0;

beforeEach(() => {
  runs = join(root, String(++count));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

async function talk(says: Say, ...messages: string[]): Promise<string> {
  const agent = await createAgent({
    ...{ tools: [lookUp], provider: speaking({ agent: says }), runsFolder: runs, memory: null },
  });
  for (const message of messages) await agent.chat(message);
  await agent.close();
  return agent.id;
}

async function withSessions<T>(
  work: (sessions: Sessions) => Promise<T>,
  warnings: string[] = [],
): Promise<T> {
  const sessions = await openSessions(runs, (text) => warnings.push(text));
  try {
    return await work(sessions);
  } finally {
    sessions.close();
  }
}

const idsOf = (lines: readonly { session: string }[]): string[] => lines.map(({ session }) => session);

describe('the index of sessions', () => {
  it('lists sessions and no other runs, and follows what changes in the logs', async () => {
    const says = inTurn('The harbour opens at nine.', 'It closes at six.');
    const first = await talk(says, 'When does the harbour open?');
    await orchestrate({
      task: { name: 'run', goal: 'Look.', mode: 'agent', verify: { judge: 'off' } },
      ...{
        tools: [lookUp],
        provider: speaking({ agent: inTurn('Harbour.') }),
        runsFolder: runs,
        memory: null,
      },
    });
    const list = (): Promise<readonly SessionLine[]> => withSessions((sessions) => sessions.list());
    expect(await list()).toMatchObject([
      {
        session: first,
        name: 'chat',
        exchanges: 1,
        lastAsked: 'When does the harbour open?',
        status: 'idle',
      },
    ]);
    const agent = await createAgent({
      ...{
        session: first,
        tools: [lookUp],
        provider: speaking({ agent: says }),
        runsFolder: runs,
        memory: null,
      },
    });
    await agent.chat('And when does it close?');
    await agent.close();
    expect(await list()).toMatchObject([{ exchanges: 2, lastAsked: 'And when does it close?' }]);
    await new FileRunStore(runs).remove(first);
    expect(await list()).toEqual([]);
    expect(await withSessions((sessions) => sessions.search('harbour', 5))).toEqual([]);
  });

  it('finds all words in any order, the last as a beginning, accents or none; else the text as it stands', async () => {
    const first = await talk(inTurn('Le café ouvre à neuf heures.'), 'When does it open?');
    const search = (query: string, except = ''): Promise<string[]> =>
      withSessions(async (sessions) => (await sessions.search(query, 5, except)).map(({ text }) => text));
    expect(await search('heures cafe')).toEqual(['Le café ouvre à neuf heures.']);
    expect(await search('cafe neu')).toEqual(['Le café ouvre à neuf heures.']);
    expect(await search('neuf dix')).toEqual([]);
    expect(await search('uvre')).toEqual(['Le café ouvre à neuf heures.']);
    // Nothing of a query is SQL, nor the language of its full-text search.
    for (const query of [`"open`, `open"*`, `open' OR 1=1 --`, 'NOT open', '%', '_', '']) {
      expect(await search(query)).not.toContain('Le café ouvre à neuf heures.');
    }
    expect(await search('cafe', first)).toEqual([]);
  });

  it('is made anew where it is damaged, of another version, or lost; another program’s is left alone', async () => {
    await talk(inTurn('The harbour opens at nine.'), 'When?');
    const path = join(runs, 'sessions.db');
    const hits = await withSessions((sessions) => sessions.search('harbour', 5));
    expect(hits).toHaveLength(1);
    const spoil: (() => void)[] = [
      () => writeFileSync(path, 'no database'),
      () => {
        const bytes = readFileSync(path);
        bytes.fill(0xff, 4096);
        writeFileSync(path, bytes);
      },
      () => {
        const database = new Sqlite(path);
        database.pragma('user_version = 99');
        database.close();
      },
      () => rmSync(path),
    ];
    for (const each of spoil) {
      each();
      expect(await withSessions((sessions) => sessions.search('harbour', 5))).toEqual(hits);
    }
    expect(await withSessions((sessions) => sessions.rebuild())).toBe(1);
    rmSync(path);
    const foreign = new Sqlite(path);
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    await expect(openSessions(runs)).rejects.toMatchObject({ code: 'memory_invalid' });
    const kept = new Sqlite(path);
    expect(kept.prepare('SELECT name FROM sqlite_master').pluck().all()).toEqual(['theirs']);
    kept.close();
  });

  it('passes over a log that cannot be read, and says so once', async () => {
    const first = await talk(inTurn('Yes.'), 'Is it?');
    const second = await talk(inTurn('No.'), 'Is it?');
    const log = join(runs, first, 'flight.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('Is it?', 'Is he?'));
    const warnings: string[] = [];
    const list = (): Promise<readonly SessionLine[]> => withSessions((sessions) => sessions.list(), warnings);
    expect(idsOf(await list())).toEqual([second]);
    expect(idsOf(await list())).toEqual([second]);
    expect(warnings).toEqual([expect.stringContaining(first)]);
  });

  it('knows which session goes on with another', async () => {
    const first = await talk(inTurn('One.', 'Two.'), 'One?', 'Two?');
    await forkTask(first, {
      ...{ at: '20', runId: 'zz-fork', runsFolder: runs, memory: null },
      ...{ tools: [lookUp], provider: speaking({ agent: inTurn('One.', 'Two.') }) },
    });
    const lines = await withSessions((sessions) => sessions.list());
    expect(lines.find(({ session }) => session === 'zz-fork')).toMatchObject({ origin: first });
    expect(tipOf(first, lines)).toBe('zz-fork');
    expect(tipOf('zz-fork', lines)).toBe('zz-fork');
  });
});

describe('a session by name', () => {
  const line = (session: string, origin: string | null = null): SessionLine => ({
    ...{
      session,
      origin,
      name: 'chat',
      startedAtMs: 0,
      updatedAtMs: 0,
      exchanges: 0,
      lastAsked: '',
      status: 'idle',
    },
  });

  it('is meant by its id, a unique prefix, or last', () => {
    const lines = [line('20261130-b'), line('20261129-a')];
    expect(resolveSession('last', lines)).toBe('20261130-b');
    expect(resolveSession('20261129', lines)).toBe('20261129-a');
    expect(() => resolveSession('2026', lines)).toThrow('could be any of 2');
    expect(() => resolveSession('x', lines)).toThrow('there is no session "x"');
    expect(() => resolveSession('last', [])).toThrow('there is no session yet');
  });

  it('is followed to its tip over any number of others, circles of damaged logs included', () => {
    expect(tipOf('a', [line('c', 'b'), line('b', 'a'), line('a')])).toBe('c');
    expect(tipOf('a', [line('new', 'a'), line('old', 'a'), line('a')])).toBe('new');
    expect(tipOf('a', [line('a', 'b'), line('b', 'a')])).toBe('b');
  });
});

it('a transcript holds every message, those that a compression replaced included', async () => {
  const long = (index: number): string => `Fact ${index}: ${'word '.repeat(400)}`;
  const agent = await createAgent({
    task: {
      ...{ name: 'long', goal: 'Talk.', mode: 'agent', verify: { judge: 'off' } },
      agent: { windowTokens: 12_000, compressAt: 0.3, keepFirst: 1, keepLast: 2, scoreEvery: 0 },
    },
    tools: [lookUp],
    provider: speaking({
      agent: ({ messages }) =>
        JSON.stringify(messages).includes('Look it up') && messages.every(({ role }) => role !== 'tool')
          ? calling({ name: 'look_up', args: { city: 'Tokyo' } })
          : 'Noted.',
      summarizer: () => JSON.stringify({ summary: 'Facts were told.' }),
    }),
    ...{ runsFolder: runs, memory: null },
  });
  const asked = Array.from({ length: 8 }, (_, index) => long(index));
  for (const text of asked) await agent.chat(text);
  await agent.chat('Look it up.');
  await agent.close();
  const events = await new FileRunStore(runs).read(agent.id);
  expect(events.some(({ type }) => type === 'context.compressed')).toBe(true);
  const exchanges = readTranscript(events);
  expect(exchanges.map(({ messages }) => messages[0]?.content)).toEqual([...asked, 'Look it up.']);
  expect(exchanges.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ...asked.map(() => ['user', 'assistant']),
    ['user', 'assistant', 'tool', 'assistant'],
  ]);
});
