import type { FlightLog, OpenRun, RunStore } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { FlightEvent } from './events.ts';
import { checkArtifactName, checkRunId, resolveRunId, sortNewestFirst } from './run-ids.ts';

const RESOLVED = Promise.resolve();

/** A log in memory: every event is durable at once, for as long as the process lives. */
export class MemoryFlightLog implements FlightLog<FlightEvent> {
  readonly #events: FlightEvent[];
  readonly #release: () => void;
  #isClosed = false;

  /** `events` is appended to and stays readable by the caller; `release` is called once on close. */
  constructor(events: FlightEvent[] = [], release: () => void = () => undefined) {
    this.#events = events;
    this.#release = release;
  }

  /** Every event so far, the very objects that were appended. */
  get events(): readonly FlightEvent[] {
    return this.#events;
  }

  get durableSeq(): number {
    return this.#events.length - 1;
  }

  append(event: FlightEvent): void {
    if (this.#isClosed) throw this.#closed();
    if (event.seq !== this.#events.length) {
      throw new OrchestratorError(
        'internal',
        `event ${event.seq} was appended after event ${this.durableSeq}`,
      );
    }
    this.#events.push(event);
  }

  whenDurable(seq: number): Promise<void> {
    if (seq <= this.durableSeq) return RESOLVED;
    return Promise.reject(
      this.#isClosed
        ? this.#closed()
        : new OrchestratorError('internal', `event ${seq} was waited for before it was appended`),
    );
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#release();
    }
    return RESOLVED;
  }

  #closed(): OrchestratorError {
    return new OrchestratorError('log_write_failed', 'the log is closed', {
      details: { lastSafeSeq: this.durableSeq },
    });
  }
}

interface MemoryRun {
  readonly events: FlightEvent[];
  readonly artifacts: Map<string, string>;
  readonly inbox: Json[];
  isOpen: boolean;
}

/** Runs that are gone when the process ends. */
export class MemoryRunStore implements RunStore<FlightEvent> {
  readonly #runs = new Map<string, MemoryRun>();

  create(runId: string): Promise<OpenRun<FlightEvent>> {
    return attempt(() => {
      checkRunId(runId);
      if (this.#runs.has(runId)) throw new OrchestratorError('run_exists', `there is a run ${runId} already`);
      const run: MemoryRun = { events: [], artifacts: new Map(), inbox: [], isOpen: false };
      this.#runs.set(runId, run);
      return openRun(runId, run);
    });
  }

  open(run: string): Promise<OpenRun<FlightEvent>> {
    return attempt(() => {
      const [runId, found] = this.#find(run);
      refuseOpen(runId, found);
      return openRun(runId, found);
    });
  }

  read(run: string): Promise<readonly FlightEvent[]> {
    return attempt(() => [...this.#find(run)[1].events]);
  }

  derive(run: string, _name: string, from: (events: readonly FlightEvent[]) => Json): Promise<Json> {
    return attempt(() => from(this.#find(run)[1].events));
  }

  isHeld(run: string): Promise<boolean> {
    return attempt(() => this.#find(run)[1].isOpen);
  }

  post(run: string, content: Json): Promise<void> {
    return attempt(() => void this.#find(run)[1].inbox.push(structuredClone(content)));
  }

  resolve(run: string): Promise<string> {
    return attempt(() => this.#find(run)[0]);
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve(this.#ids());
  }

  remove(run: string): Promise<void> {
    return attempt(() => {
      const [runId, found] = this.#find(run);
      refuseOpen(runId, found);
      this.#runs.delete(runId);
    });
  }

  /** What was written beside the log of a run under that name; undefined where nothing was. */
  readArtifact(run: string, name: string): string | undefined {
    return this.#find(run)[1].artifacts.get(name);
  }

  #ids(): string[] {
    return sortNewestFirst(this.#runs.keys());
  }

  #find(name: string): [string, MemoryRun] {
    const runId = resolveRunId(name, this.#ids());
    return [runId, this.#runs.get(runId) as MemoryRun];
  }
}

function attempt<T>(action: () => T): Promise<T> {
  return new Promise((resolve) => resolve(action()));
}

function refuseOpen(runId: string, run: MemoryRun): void {
  if (run.isOpen) throw new OrchestratorError('run_locked', `run ${runId} is held by this process`);
}

function openRun(runId: string, run: MemoryRun): OpenRun<FlightEvent> {
  run.isOpen = true;
  const log = new MemoryFlightLog(run.events, () => {
    run.isOpen = false;
  });
  return {
    runId,
    folder: null,
    events: [...run.events],
    log,
    writeArtifact(name, content) {
      return attempt(() => {
        checkArtifactName(name);
        run.artifacts.set(name, content);
      });
    },
    async takeInbox(accept) {
      const posted = [...run.inbox];
      if (posted.length === 0) return;
      await accept(posted);
      run.inbox.splice(0, posted.length);
    },
  };
}
