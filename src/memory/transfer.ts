import { z } from 'zod';
import { type MemoryEntry, memoryRecordSchema, type MemoryStore } from '../contracts/memory.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { toPlainJson } from '../kernel/json.ts';
import { listPages } from './list-pages.ts';
import { maskRecord } from './mask-secrets.ts';

const PAGE = 200;

/** So many bad lines are told one by one; the others are counted. */
const TOLD_PROBLEMS = 100;

const lineSchema = z.strictObject({
  record: memoryRecordSchema,
  embedding: z.strictObject({ model: z.string(), vector: z.base64() }).optional(),
});

/** A memory as a line of JSON, and whether something in it looked like a credential. */
export interface ExportedLine {
  readonly text: string;
  readonly isMasked: boolean;
}

/**
 * Every memory of a scope as a line of JSON, the newest first; a vector is its 32-bit floats in base64. What looks like
 * a credential is masked, and a memory that held one goes without its vector, which was made from it.
 */
export async function* exportMemories(store: MemoryStore, scope: string): AsyncGenerator<ExportedLine> {
  for await (const page of listPages(store, { scope }, PAGE)) {
    for (const entry of page) {
      const { entry: masked, isMasked } = maskEntry(entry);
      yield { text: formatLine(masked), isMasked };
    }
  }
}

function maskEntry(entry: MemoryEntry): { readonly entry: MemoryEntry; readonly isMasked: boolean } {
  const { record, isChanged } = maskRecord(entry.record);
  return isChanged ? { entry: { record }, isMasked: true } : { entry, isMasked: false };
}

function formatLine({ record, embedding }: MemoryEntry): string {
  const line = {
    record,
    ...(embedding === undefined
      ? {}
      : {
          embedding: {
            model: embedding.model,
            vector: Buffer.from(Float32Array.from(embedding.vector).buffer).toString('base64'),
          },
        }),
  };
  return canonicalJson(toPlainJson(line));
}

/** How memories are imported. */
export interface ImportOptions {
  /** Puts them in place of those of the same id, which are kept otherwise. */
  readonly isReplacing?: boolean;
}

/** What became of the lines of an import. */
export interface MemoryImport {
  readonly imported: number;
  /** Memories of an id that the scope, or an earlier line, had already. */
  readonly skipped: number;
  /** How many of the imported held what looks like a credential: it was masked. */
  readonly masked: number;
  /** How many lines hold no memory. */
  readonly refused: number;
  /** The first 100 of those, counted from 1, each with what is wrong with it. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/**
 * Puts exported memories into a scope; a memory that is there already is kept as it is, and lines that hold none are
 * named and left out.
 */
export async function importMemories(
  store: MemoryStore,
  scope: string,
  lines: AsyncIterable<string> | Iterable<string>,
  { isReplacing = false }: ImportOptions = {},
): Promise<MemoryImport> {
  const problems: { line: number; message: string }[] = [];
  const counts = { imported: 0, skipped: 0, masked: 0, refused: 0 };
  let line = 0;
  let batch = new Map<string, ReturnType<typeof maskEntry>>();
  const flush = async (): Promise<void> => {
    const known = isReplacing ? new Set<string>() : await findKnown(store, scope, [...batch.keys()]);
    const fresh = [...batch.values()].filter(({ entry }) => !known.has(entry.record.id));
    await store.put(
      scope,
      fresh.map(({ entry }) => entry),
    );
    counts.imported += fresh.length;
    counts.skipped += known.size;
    counts.masked += fresh.filter(({ isMasked }) => isMasked).length;
    batch = new Map();
  };
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const entry = parseLine(text);
    if (typeof entry === 'string') {
      counts.refused += 1;
      if (problems.length < TOLD_PROBLEMS) problems.push({ line, message: entry });
    } else {
      const masked = maskEntry(entry);
      const { id } = masked.entry.record;
      if (batch.has(id)) counts.skipped += 1;
      if (isReplacing || !batch.has(id)) batch.set(id, masked);
      if (batch.size >= PAGE) await flush();
    }
  }
  await flush();
  return { ...counts, problems };
}

/** Which of these ids the scope holds. */
async function findKnown(store: MemoryStore, scope: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { entries } = await store.list({ scope, ids, limit: ids.length });
  return new Set(entries.map(({ record }) => record.id));
}

/** The entry of a line, or what is wrong with it. */
function parseLine(text: string): MemoryEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ');
  const { record, embedding } = parsed.data;
  if (embedding === undefined) return { record };
  const bytes = Buffer.from(embedding.vector, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return 'the vector is not of 32-bit floats';
  const vector = new Float32Array(Uint8Array.from(bytes).buffer);
  const length = Math.hypot(...vector);
  if (!(Math.abs(length - 1) < 0.01)) return 'the vector is not of unit length';
  return { record, embedding: { model: embedding.model, vector } };
}
