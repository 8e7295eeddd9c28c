import {
  type ForgetRequest,
  type ListQuery,
  MEMORY_TIERS,
  type MemoryEntry,
  type MemoryHit,
  type MemoryPage,
  type MemoryStats,
  type MemoryStore,
  type VectorQuery,
  type WordQuery,
} from '../contracts/memory.ts';
import { createHit } from './create-hit.ts';
import { type PreparedEntry, prepareEntry } from './prepared-entry.ts';
import { cosine, wordHashesOf } from './similarity.ts';
import { sumStats } from './sum-stats.ts';
import { candidateCount, type RowScore, VectorIndex } from './vector-index.ts';
import { WordIndex } from './word-index.ts';

type Row = readonly [number: number, prepared: PreparedEntry];

interface Scope {
  readonly rows: Map<number, PreparedEntry>;
  readonly rowOf: Map<string, number>;
  readonly words: Map<string, WordIndex>;
  readonly vectors: Map<string, VectorIndex>;
}

/** Memories that last as long as this process: for tests, and for runs without a memory of their own. */
export class InMemoryStore implements MemoryStore {
  readonly #scopes = new Map<string, Scope>();
  #lastRow = 0;

  put(scope: string, entries: readonly MemoryEntry[]): Promise<void> {
    return settle(() => {
      const prepared = entries.map((entry) => prepareEntry(structuredClone(entry)));
      for (const one of prepared) this.#add(scope, one);
    });
  }

  searchByVector({ scope, tier, limit, embedding }: VectorQuery): Promise<readonly MemoryHit[]> {
    return settle(() => {
      const kept = this.#scopes.get(scope);
      const hits = (tier === undefined ? MEMORY_TIERS : [tier]).flatMap((one) => {
        const index = kept?.vectors.get(vectorKey(one, embedding));
        return index?.candidates(embedding.vector, candidateCount(limit)) ?? [];
      });
      return this.#read(
        kept,
        hits.map(({ row }) => ({
          row,
          score: cosine(kept?.rows.get(row)?.entry.embedding?.vector ?? new Float32Array(), embedding.vector),
        })),
        limit,
      );
    });
  }

  searchByWords({ scope, tier, limit, text }: WordQuery): Promise<readonly MemoryHit[]> {
    return settle(() => {
      const kept = this.#scopes.get(scope);
      const words = wordHashesOf(text);
      const hits = (tier === undefined ? MEMORY_TIERS : [tier]).flatMap(
        (one) => kept?.words.get(one)?.search(words, limit) ?? [],
      );
      return this.#read(kept, hits, limit);
    });
  }

  list({ scope, tier, ids, order = 'newest', limit, after }: ListQuery): Promise<MemoryPage> {
    return settle(() => {
      const all = order === 'newest' ? this.#rows(scope) : this.#rows(scope).toReversed();
      const last = after === undefined ? -1 : all.findLastIndex((row) => !isBeyond(row, after, order));
      const wanted = ids === undefined ? undefined : new Set(ids);
      const rows = all
        .slice(last + 1)
        .filter(
          ([, { entry }]) =>
            (tier === undefined || entry.record.tier === tier) &&
            (wanted === undefined || wanted.has(entry.record.id)),
        );
      const page = rows.slice(0, limit);
      const end = page.at(-1);
      return {
        entries: page.map(([, { entry }]) => structuredClone(entry)),
        ...(rows.length > page.length && end !== undefined ? { next: `${timeOf(end)}:${end[0]}` } : {}),
      };
    });
  }

  forget(request: ForgetRequest): Promise<number> {
    return settle(() => {
      const { scope, tier } = request;
      const rows = this.#rows(scope).filter(
        ([, { entry }]) => tier === undefined || entry.record.tier === tier,
      );
      let entries = 0;
      let bytes = 0;
      const doomed = rows.filter(([, prepared]) => {
        const { record } = prepared.entry;
        entries += 1;
        bytes += prepared.bytes;
        if ('ids' in request) return request.ids.includes(record.id);
        if ('olderThan' in request) return record.provenance.at < request.olderThan;
        return 'keepBytes' in request ? bytes > request.keepBytes : entries > request.keepEntries;
      });
      for (const [, { entry }] of doomed) this.#remove(scope, entry.record.id);
      return doomed.length;
    });
  }

  stats(scope: string): Promise<MemoryStats> {
    return settle(() =>
      sumStats(
        this.#rows(scope).map(([, { entry, bytes }]) => ({
          tier: entry.record.tier,
          model: entry.embedding?.model ?? '',
          dimensions: entry.embedding?.vector.length ?? 0,
          entries: 1,
          bytes,
          oldest: entry.record.provenance.at,
          newest: entry.record.provenance.at,
        })),
      ),
    );
  }

  scopes(): Promise<readonly string[]> {
    return settle(() => [...this.#scopes].filter(([, { rows }]) => rows.size > 0).map(([scope]) => scope));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #add(name: string, prepared: PreparedEntry): void {
    const { record, embedding } = prepared.entry;
    this.#remove(name, record.id);
    const scope = this.#scopes.get(name) ?? newScope();
    this.#scopes.set(name, scope);
    const row = ++this.#lastRow;
    scope.rows.set(row, prepared);
    scope.rowOf.set(record.id, row);
    obtain(scope.words, record.tier, () => new WordIndex()).add(row, prepared.words);
    if (embedding === undefined || prepared.code === undefined) return;
    const { length } = embedding.vector;
    obtain(scope.vectors, vectorKey(record.tier, embedding), () => new VectorIndex(length)).add(
      row,
      prepared.code,
    );
  }

  #remove(name: string, id: string): void {
    const scope = this.#scopes.get(name);
    const row = scope?.rowOf.get(id);
    if (scope === undefined || row === undefined) return;
    scope.rowOf.delete(id);
    scope.rows.delete(row);
    for (const index of [...scope.words.values(), ...scope.vectors.values()]) index.remove(row);
  }

  /** The newest first. */
  #rows(scope: string): Row[] {
    const rows = [...(this.#scopes.get(scope)?.rows ?? [])];
    return rows.toSorted((a, b) => timeOf(b) - timeOf(a) || b[0] - a[0]);
  }

  #read(scope: Scope | undefined, hits: readonly RowScore[], limit: number): MemoryHit[] {
    return hits
      .toSorted((a, b) => b.score - a.score || b.row - a.row)
      .slice(0, limit)
      .flatMap(({ row, score }) => {
        const entry = scope?.rows.get(row)?.entry;
        return entry === undefined ? [] : [createHit(entry.record, score, entry.embedding?.model ?? '')];
      });
  }
}

function timeOf([, { entry }]: Row): number {
  return entry.record.provenance.at;
}

function isBeyond(row: Row, cursor: string, order: 'newest' | 'oldest'): boolean {
  const [at = 0, number = 0] = cursor.split(':').map(Number);
  const distance = timeOf(row) - at || row[0] - number;
  return order === 'newest' ? distance < 0 : distance > 0;
}

function newScope(): Scope {
  return { rows: new Map(), rowOf: new Map(), words: new Map(), vectors: new Map() };
}

function vectorKey(tier: string, { model, vector }: { model: string; vector: Float32Array }): string {
  return `${tier} ${vector.length} ${model}`;
}

function obtain<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** A promise even where the work throws. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
