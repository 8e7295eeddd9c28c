import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { resolveRunId } from '../flight/run-ids.ts';
import type { FoundMessage, SearchSessions, SessionHit } from './own-tools.ts';
import type { DriveOptions } from './run-options.ts';
import { loadSqlite } from './session-database.ts';
import type { SessionIndex } from './session-index.ts';
import { searchLogs } from './session-reading.ts';
import { readSession, type SessionLine } from './session-record.ts';
import { besideRuns, DEFAULT_RUNS_FOLDER, openRunStore } from './stores.ts';

/** The sessions of a folder of runs. Whoever opened them closes them. */
export interface Sessions {
  /** The file of the index; null where SQLite cannot be loaded and the logs themselves are read. */
  readonly path: string | null;
  /** The one that was talked to last first. */
  list(): Promise<readonly SessionLine[]>;
  /** What was said and fits the words of a query, best first. */
  search(query: string, limit: number, except?: string): Promise<readonly (SessionHit | FoundMessage)[]>;
  /** Makes the index anew from the logs; the answer is how many sessions there are. */
  rebuild(): Promise<number>;
  close(): void;
}

/** Opens the sessions of a folder of runs; `warn` is told what a person should know of. */
export async function openSessions(
  runsFolder: string = DEFAULT_RUNS_FOLDER,
  warn: (message: string) => void = () => undefined,
): Promise<Sessions> {
  const store = openRunStore(runsFolder);
  const Sqlite = await loadSqlite();
  if (Sqlite === null) return new LoggedSessions(store);
  const { SessionIndex: Index } = await import('./session-index.ts');
  const path = besideRuns('sessions.db', runsFolder);
  return new IndexedSessions(path, new Index(Sqlite, { path, runsFolder, store, warn }));
}

/** How an agent's tool searches earlier sessions: by the index of its runs, or through the logs of a store that has none. */
export function searchSessions(
  { store, runsFolder }: Pick<DriveOptions, 'store' | 'runsFolder'>,
  logs: RunStore<FlightEvent>,
  except: () => string,
): SearchSessions {
  if (store !== undefined || runsFolder === null) return searchLogs(logs, except);
  return async (query, limit) => {
    const sessions = await openSessions(runsFolder);
    try {
      return await sessions.search(query, limit, except());
    } finally {
      sessions.close();
    }
  };
}

/** The id of a session that is named by id, unique prefix, or `last`; throws `run_not_found`. */
export function resolveSession(name: string, lines: readonly SessionLine[]): string {
  if (lines.length === 0) {
    throw new OrchestratorError('run_not_found', 'there is no session yet', {
      hint: '`orchestrate chat` begins one.',
    });
  }
  try {
    return resolveRunId(
      name,
      lines.map(({ session }) => session),
    );
  } catch (error) {
    if (!(error instanceof OrchestratorError) || error.details['candidates'] !== undefined) throw error;
    throw new OrchestratorError(
      'run_not_found',
      `there is no session ${JSON.stringify(name.slice(0, 200))}`,
      {
        hint: '`orchestrate sessions list` lists them.',
      },
    );
  }
}

/** The newest session that goes on with a session, by way of any number of others; itself where none does. */
export function tipOf(session: string, lines: readonly SessionLine[]): string {
  const passed = new Set<string>();
  for (let tip = session; ;) {
    passed.add(tip);
    // The list has the one that was talked to last first.
    const next = lines.find((line) => line.origin === tip && !passed.has(line.session));
    if (next === undefined) return tip;
    tip = next.session;
  }
}

class IndexedSessions implements Sessions {
  readonly path: string;
  readonly #index: SessionIndex;

  constructor(path: string, index: SessionIndex) {
    this.path = path;
    this.#index = index;
  }

  list(): Promise<readonly SessionLine[]> {
    return this.#index.list();
  }

  search(query: string, limit: number, except?: string): Promise<readonly FoundMessage[]> {
    return this.#index.search(query, limit, except);
  }

  rebuild(): Promise<number> {
    return this.#index.rebuild();
  }

  close(): void {
    this.#index.close();
  }
}

function deriveLine(run: string, events: readonly FlightEvent[]): Json {
  const record = readSession(run, events);
  if (record === null) return null;
  const { said, ...line } = record;
  return { line, said: said.length };
}

/** What stands in for the index where SQLite cannot be loaded: every question reads the logs. */
class LoggedSessions implements Sessions {
  readonly path = null;
  readonly #store: RunStore<FlightEvent>;

  constructor(store: RunStore<FlightEvent>) {
    this.#store = store;
  }

  async list(): Promise<readonly SessionLine[]> {
    const lines: SessionLine[] = [];
    for (const run of await this.#store.list()) {
      const derived = await this.#store
        .derive(run, 'session', (events) => deriveLine(run, events))
        .catch((): Json => null);
      if (derived === null) continue;
      lines.push((derived as unknown as { line: SessionLine }).line);
    }
    return lines.sort((a, b) => b.updatedAtMs - a.updatedAtMs);
  }

  search(query: string, limit: number, except = ''): Promise<readonly SessionHit[]> {
    return searchLogs(this.#store, () => except)(query, limit);
  }

  async rebuild(): Promise<number> {
    return (await this.list()).length;
  }

  close(): void {
    // Nothing is held open.
  }
}
