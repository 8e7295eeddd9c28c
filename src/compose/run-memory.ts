import {
  type Embedder,
  MEMORY_TIERS,
  type MemoryRecord,
  type RecalledContext,
  type RecallRequest,
  type ToolMemory,
} from '../contracts/memory.ts';
import type { Memory } from '../contracts/ports.ts';
import type { Task } from '../contracts/task.ts';
import type { FlightEvent } from '../flight/events.ts';
import { buildContext, type MemoryContext } from '../memory/context.ts';
import { withDeadline } from '../memory/embed-deadline.ts';
import { LateVectors } from '../memory/late-vectors.ts';
import { MemoryRecorder } from '../memory/memory-recorder.ts';
import { recall, type Recollection, type Similarity } from '../memory/recall.ts';
import { reindex } from '../memory/reindex.ts';
import { RunNotes } from '../memory/remember.ts';
import { findOverflow, interpretSummary, replaceBySummary, summaryRequest } from '../memory/summarize.ts';
import { SUMMARY_KEY } from '../run/effect-key.ts';
import type { RunState } from '../run/state.ts';
import { interpretAsk } from '../worker/ask.ts';
import type { OpenMemory } from './memory.ts';
import { RunToolMemory } from './tool-memory.ts';

/** Of the time that a call waits for memory, what a vector may take; the rest is for the search by words. */
const VECTOR_SHARE = 0.75;
/** So many memories of a tier are looked at: runs that went alike say the same, and count once. */
const MOST_CANDIDATES = 30;
/** How long the end of a run waits for vectors of what is kept of it, and of what has none yet. */
const VECTORS_MS = 3000;
/** How long one text that nobody waits for may take. */
const LATE_VECTOR_MS = 10_000;
const RENEWAL_MS = 1000;

/** A memory as a run uses it: it follows the run, recalls for its calls, and keeps what the run leaves. */
export interface FollowingMemory extends Memory {
  /** What the tools of the run remember with. */
  readonly tools: ToolMemory;
  /** Told of each event of the run, those before it was taken up included. */
  follow(event: FlightEvent): void;
  /** Keeps what is worth it of a run that has ended; says what a person should know of. Never throws. */
  remember(state: RunState): Promise<readonly string[]>;
  /** Keeps records at once, their vectors follow while the run goes on; throws where the store does. */
  keep?(records: readonly MemoryRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** The section `memory` of a task, with what is compared in its runs. */
type RunMemorySettings = Omit<Task['memory'], 'similarity'> & { readonly similarity: Similarity };

/** The memory that a task names, as one run uses it. */
export class RunMemory implements FollowingMemory {
  readonly tools: ToolMemory;
  readonly #memory: OpenMemory;
  readonly #settings: RunMemorySettings;
  readonly #notes = new RunNotes();
  /** What the store warned of since the last look. */
  readonly #noticed: string[];
  readonly #told = new Set<string>();
  readonly #late: LateVectors | null;
  #runId = '';
  /** Whether the model is loaded: where nothing was to be compared yet, keeping is not worth loading it. */
  #isWarm = false;
  #hasLookedForOverflow = false;

  constructor(memory: OpenMemory, settings: RunMemorySettings, noticed: string[]) {
    this.#memory = memory;
    this.#settings = settings;
    this.#noticed = noticed;
    const { store, scope, embedder } = memory;
    this.#late = embedder === null ? null : new LateVectors({ store, scope, embedder }, LATE_VECTOR_MS);
    this.tools = new RunToolMemory(memory, settings.similarity, {
      runId: () => this.#runId,
      keep: (record) => this.keep([record]),
      noteModel: () => {
        this.#isWarm = true;
      },
    });
  }

  follow(event: FlightEvent): void {
    this.#notes.take(event);
    if (event.type === 'run.started' || event.type === 'run.forked') this.#runId = event.runId;
  }

  async recall({ query, working, budgetChars }: RecallRequest): Promise<RecalledContext> {
    const { store, scope, embedder } = this.#memory;
    const { similarity, perTier, timeoutMs } = this.#settings;
    const patient = embedder === null ? null : withDeadline(embedder, () => timeoutMs * VECTOR_SHARE);
    const recollection = await recall(query, {
      store,
      scope,
      embedder: patient,
      similarity,
      limit: Math.max(MOST_CANDIDATES, perTier),
    });
    this.#isWarm ||= recollection.model !== undefined;
    const hits = this.#ofOthers(recollection);
    const context = buildContext(working, hits, budgetChars, { perTier });
    const overflow = await this.#findOverflow();
    return {
      text: context.text,
      included: listIncluded(context, hits),
      ...(Object.values(context.leftOut).some((count) => count > 0) ? { leftOut: context.leftOut } : {}),
      similarity: recollection.similarity,
      ...(recollection.model === undefined ? {} : { model: recollection.model }),
      warnings: this.#newWarnings(recollection.warnings),
      ...(overflow === null ? {} : { overflow }),
    };
  }

  async remember(state: RunState): Promise<readonly string[]> {
    const { hasUnknownCost, ledger, isPlanOnly } = state;
    if (isPlanOnly) return [];
    const records = this.#notes.toRecords({
      mostFacts: this.#settings.factsPerRun,
      ...(hasUnknownCost ? {} : { costMicroUsd: ledger.settled.costMicroUsd }),
    });
    const until = Date.now() + VECTORS_MS;
    const embedder = this.#warmEmbedder(() => until - Date.now());
    const recorder = new MemoryRecorder({ ...this.#memory, embedder });
    recorder.record(records);
    const { warnings } = await recorder.settled();
    await this.#late?.settled(Math.max(0, until - Date.now()));
    const failures = [await this.#keepSummary(state, embedder), await this.#renewVectors(embedder)];
    return this.#newWarnings([...warnings, ...failures.flatMap((failure) => failure ?? [])]);
  }

  async keep(records: readonly MemoryRecord[]): Promise<void> {
    const { store, scope } = this.#memory;
    await store.put(
      scope,
      records.map((record) => ({ record })),
    );
    if (this.#isWarm) this.#late?.add(records);
  }

  async close(): Promise<void> {
    await this.#late?.settled(VECTORS_MS);
    await this.#memory.close();
  }

  /** A run that is taken up finds what it left itself in its working memory. */
  #ofOthers({ episodic, semantic }: Recollection): Pick<Recollection, 'episodic' | 'semantic'> {
    const isOfOthers = (hit: Recollection['episodic'][number]): boolean =>
      hit.record.provenance.run !== this.#runId;
    return { episodic: episodic.filter(isOfOthers), semantic: semantic.filter(isOfOthers) };
  }

  /** Looked for once in a process: what is kept at the end of the run can wait for the next one. */
  async #findOverflow(): Promise<NonNullable<RecalledContext['overflow']> | null> {
    if (this.#hasLookedForOverflow) return null;
    this.#hasLookedForOverflow = true;
    const { store, scope } = this.#memory;
    const most = { episodic: this.#settings.episodes, semantic: this.#settings.facts };
    for (const tier of MEMORY_TIERS) {
      const records = await findOverflow(store, scope, tier, most[tier]).catch(() => []);
      if (records.length > 0) {
        return { tier, ids: records.map(({ id }) => id), request: summaryRequest(records) };
      }
    }
    return null;
  }

  /** Puts the answer of the run's model in the place of what it sums up, where it is whole. */
  async #keepSummary(state: RunState, embedder: Embedder | null): Promise<string | null> {
    const { overflow } = state.memory;
    const call = state.calls.get(SUMMARY_KEY);
    if (overflow === null || call?.status !== 'answered' || call.answer === null) return null;
    const answer = interpretAsk(call.answer);
    if (!answer.ok) return null;
    const { store, scope } = this.#memory;
    try {
      const { entries } = await store.list({ scope, ids: overflow.ids, limit: overflow.ids.length });
      const records = entries.map(({ record }) => record);
      const summary = interpretSummary(answer.text, records);
      if (summary === null) return null;
      const embedding = await embedder?.embed(summary.text).catch(() => undefined);
      const entry = { record: summary, ...(embedding === undefined ? {} : { embedding }) };
      await replaceBySummary(store, scope, entry, records);
      return null;
    } catch (error) {
      return `memories were not summed up: ${describe(error)}`;
    }
  }

  /** What was kept while no model was at hand gets its vectors now, as far as that goes. */
  async #renewVectors(embedder: Embedder | null): Promise<string | null> {
    if (embedder === null) return null;
    const { store, scope } = this.#memory;
    try {
      const { models } = await store.stats(scope);
      if (models.every(({ model }) => model === embedder.model)) return null;
      const renewal = withDeadline(this.#memory.embedder ?? embedder, () => RENEWAL_MS);
      await reindex({ store, scope, embedder: renewal, signal: AbortSignal.timeout(RENEWAL_MS) });
    } catch {
      // The rest is for the next run, or for `orchestrate memory reindex`.
    }
    return null;
  }

  #warmEmbedder(leftMs: () => number): Embedder | null {
    const { embedder } = this.#memory;
    return embedder === null || !this.#isWarm ? null : withDeadline(embedder, leftMs);
  }

  /** Each warning once in a run: the log says of every call what was compared. */
  #newWarnings(warnings: readonly string[]): string[] {
    const fresh = [...this.#noticed.splice(0), ...warnings].filter((warning) => !this.#told.has(warning));
    for (const warning of fresh) this.#told.add(warning);
    return [...new Set(fresh)];
  }
}

function listIncluded(
  { included }: MemoryContext,
  hits: Pick<Recollection, 'episodic' | 'semantic'>,
): RecalledContext['included'] {
  return MEMORY_TIERS.flatMap((tier) =>
    included[tier].flatMap((id) => {
      const hit = hits[tier].find(({ record }) => record.id === id);
      if (hit === undefined) return [];
      return [{ tier, id, score: roundScore(hit.score), from: hit.record.provenance }];
    }),
  );
}

function roundScore(score: number): number {
  return Math.round(score * 1000) / 1000;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
