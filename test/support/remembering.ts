import { onTestFinished } from 'vitest';
import type { MemoryRecord } from '../../src/contracts/memory.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { orchestrate, type RunOptions, type RunResult } from '../../src/index.ts';
import { readSection } from '../../src/contracts/section.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import type { Json } from '../../src/kernel/json.ts';
import { byRole } from './composed.ts';
import { only, plan } from './core.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';

/** A memory for the runs of one test, compared by words. */
export function rememberingRuns(): {
  readonly memory: InMemoryStore;
  readonly runs: MemoryRunStore;
  /** Runs a task with that memory; its events beside its result. */
  readonly run: (
    runId: string,
    options: Omit<RunOptions, 'runId'>,
  ) => Promise<{ result: RunResult; events: readonly FlightEvent[] }>;
  /** What the memory holds, oldest first. */
  readonly records: (scope?: string) => Promise<MemoryRecord[]>;
} {
  const memory = new InMemoryStore();
  const runs = new MemoryRunStore();
  onTestFinished(() => memory.close());
  return {
    memory,
    runs,
    run: async (runId, options) => {
      const result = await orchestrate({
        store: runs,
        memory: { store: memory },
        workspace: '/',
        ...options,
        runId,
      });
      return { result, events: await runs.read(runId) };
    },
    records: async (scope = 'default') => {
      const { entries } = await memory.list({ scope, order: 'oldest', limit: 1000 });
      return entries.map(({ record }) => record);
    },
  };
}

/** The text that was recalled for a call. */
export function recalledFor(events: readonly FlightEvent[], call: string): string {
  return only(events, 'memory.recalled').find(({ key }) => key === `memory/${call}`)?.text ?? '';
}

/** A section of what was recalled. */
export function readRecalled(text: string, section: string): Json | undefined {
  return readSection({ messages: [{ role: 'user', content: text }] }, section);
}

/** A provider that draws one plan and answers nothing else. */
export function drawing(...nodes: readonly Json[]): Provider {
  return byRole({ planner: JSON.stringify(plan(...nodes)) }).provider;
}
