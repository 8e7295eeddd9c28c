import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import type { MemoryEntry, MemoryRecord } from '../../../src/contracts/memory.ts';
import { SqliteMemoryStore } from '../../../src/memory/sqlite-store.ts';
import { temporaryFolder } from '../../support/flight-events.ts';
import { episode, fact } from '../../support/memory-entries.ts';
import { recordIo } from './support.ts';

const DAY_MS = 86_400_000;
/** Epoch milliseconds of so many days ago. */
export const daysAgo = (days: number): number => Date.now() - days * DAY_MS;

/** A task that compares by words, so that no model is loaded, and what its commands say. */
export async function openFolder(entries: Readonly<Record<string, readonly MemoryEntry[]>> = {}) {
  const folder = temporaryFolder();
  const db = join(folder, 'memory.db');
  writeFileSync(
    join(folder, 'task.yaml'),
    'name: t\nmemory: { path: memory.db, scope: own, similarity: words }\n',
  );
  const put = async (scope: string, list: readonly MemoryEntry[]): Promise<void> => {
    const store = new SqliteMemoryStore({ path: db, warn: expect.unreachable });
    await store.put(scope, list);
    await store.close();
  };
  for (const [scope, list] of Object.entries(entries)) await put(scope, list);
  const run = async (words: readonly string[], io = recordIo()) => {
    const exitCode = await runCli(['memory', ...words, '--task', join(folder, 'task.yaml')], io);
    return { exitCode, ...io.written };
  };
  const json = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await run([...words, '--json']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const idsLeft = async (scope = 'own'): Promise<string[]> => {
    const { entries: left } = (await json('list', '--limit', '0', '--scope', scope)) as {
      entries: MemoryRecord[];
    };
    return left.map(({ id }) => id);
  };
  return { folder, db, put, run, json, idsLeft };
}

/** A memory without a vector. */
export const bare = (record: MemoryRecord): MemoryEntry => ({ record });
/** Two facts, 3 and 40 days old, and an episode of 80 days ago. */
export const CITIES = [
  bare(fact('tokyo', 'Tokyo has 37,400,068 inhabitants', daysAgo(3))),
  bare(fact('osaka', 'Osaka has 19,165,340 inhabitants', daysAgo(40))),
  bare(episode('run-1/episode', 'compare the inhabitants of Tokyo and Atlantis\nended failed', daysAgo(80))),
];
