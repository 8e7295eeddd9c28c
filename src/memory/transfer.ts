import { z } from 'zod';
import { type MemoryEntry, memoryRecordSchema, type MemoryStore } from '../contracts/memory.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { toPlainJson } from '../kernel/json.ts';

const PAGE = 200;

const lineSchema = z.strictObject({
  record: memoryRecordSchema,
  embedding: z.strictObject({ model: z.string(), vector: z.base64() }).optional(),
});

/** Every memory of a scope as a line of JSON, the newest first; a vector is its 32-bit floats in base64. */
export async function* exportMemories(store: MemoryStore, scope: string): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const page = await store.list({ scope, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const entry of page.entries) yield formatLine(entry);
    if (page.next === undefined) return;
    after = page.next;
  }
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

/** What became of the lines of an import. */
export interface ImportReport {
  readonly imported: number;
  /** The lines that hold no memory, counted from 1, each with what is wrong with it. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/** Puts exported memories into a scope, in place of those of the same id; lines that hold none are named and left out. */
export async function importMemories(
  store: MemoryStore,
  scope: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportReport> {
  const problems: { line: number; message: string }[] = [];
  let imported = 0;
  let line = 0;
  let batch: MemoryEntry[] = [];
  const flush = async (): Promise<void> => {
    await store.put(scope, batch);
    imported += batch.length;
    batch = [];
  };
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const entry = parseLine(text);
    if (typeof entry === 'string') problems.push({ line, message: entry });
    else if (batch.push(entry) >= PAGE) await flush();
  }
  await flush();
  return { imported, problems };
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
