import { z } from 'zod';
import type { Json, JsonObject } from '../kernel/json.ts';
import { askRequestSchema } from './model.ts';

/** The tiers that outlive a run: one episode per finished run, and facts with their provenance. */
export const MEMORY_TIERS = ['episodic', 'semantic'] as const;

/** A tier that outlives a run. */
export type MemoryTier = (typeof MEMORY_TIERS)[number];

/** Where a memory comes from; `at` in epoch milliseconds. A person's own has no run. */
export const provenanceSchema = z.strictObject({
  at: z.number().nonnegative(),
  run: z.string().optional(),
  node: z.string().optional(),
  tool: z.string().optional(),
});

/** Where a memory comes from. */
export type MemoryProvenance = z.infer<typeof provenanceSchema>;

/** A figure as it stood in a result, character by character, with the name of the field that held it. */
export const keyFigureSchema = z.strictObject({
  kind: z.enum(['number', 'path', 'version', 'date', 'url', 'id']),
  text: z.string(),
  field: z.string().optional(),
});

/** A figure as it stood in a result. */
export type KeyFigure = z.infer<typeof keyFigureSchema>;

/** What is kept of a finished run. Cost in millionths of a US dollar. */
export const episodeSchema = z.strictObject({
  goal: z.string(),
  /** The plan's tools, level by level, such as `get_population ×3 → summarize`. */
  shape: z.string(),
  failures: z.array(
    z.strictObject({ node: z.string(), tool: z.string(), code: z.string(), message: z.string() }),
  ),
  status: z.string(),
  reasons: z.array(z.string()),
  replans: z.int().nonnegative(),
  tokens: z.int().nonnegative(),
  toolCalls: z.int().nonnegative(),
  costMicroUsd: z.int().nonnegative().optional(),
});

/** What is kept of a finished run. */
export type Episode = z.infer<typeof episodeSchema>;

const common = {
  /** Unique within its scope; putting it again replaces it. */
  id: z.string().min(1).max(200),
  /** What is searched and shown. */
  text: z.string().min(1),
  provenance: provenanceSchema,
};

/** A memory without its vector, as plain JSON. */
export const memoryRecordSchema = z.discriminatedUnion('tier', [
  z.strictObject({ tier: z.literal('episodic'), ...common, episode: episodeSchema.optional() }),
  z.strictObject({ tier: z.literal('semantic'), ...common, figures: z.array(keyFigureSchema).optional() }),
]);

/** A memory without its vector, as plain JSON. */
export type MemoryRecord = z.infer<typeof memoryRecordSchema>;

/** A text as a vector of unit length; `model` names the weights, and vectors of two models are never compared. */
export interface Embedding {
  readonly model: string;
  readonly vector: Float32Array;
}

/** A memory as it is put into a store; without an embedding it is found by its words only. */
export interface MemoryEntry {
  readonly record: MemoryRecord;
  readonly embedding?: Embedding;
}

/** A memory that was found; the score is a cosine or a Jaccard index, by the search that was made. */
export interface MemoryHit {
  readonly record: MemoryRecord;
  readonly score: number;
  /** The model of its vector, where it has one. */
  readonly model?: string;
}

/** Which memories to search: those of one scope, of one tier or of both. */
interface SearchQuery {
  readonly scope: string;
  readonly tier?: MemoryTier;
  readonly limit: number;
}

/** A search by the cosine with a vector, among the entries whose embedding is of the same model. */
export interface VectorQuery extends SearchQuery {
  readonly embedding: Embedding;
}

/** A search by the Jaccard index with the words of a text, among all entries. */
export interface WordQuery extends SearchQuery {
  readonly text: string;
}

/**
 * Which memories to list, by the time of their provenance, the newest first where not said otherwise. `after` is the
 * `next` of the page before.
 */
export interface ListQuery {
  readonly scope: string;
  readonly tier?: MemoryTier;
  readonly ids?: readonly string[];
  readonly order?: 'newest' | 'oldest';
  readonly limit: number;
  readonly after?: string;
}

/** A page of a list; `next` where there is more. */
export interface MemoryPage {
  readonly entries: readonly MemoryEntry[];
  readonly next?: string;
}

/**
 * What to forget in a scope: by id, all that are older than an epoch time in milliseconds, or the oldest, until the
 * rest takes at most so many bytes or entries.
 */
export type ForgetRequest = { readonly scope: string; readonly tier?: MemoryTier } & (
  | { readonly ids: readonly string[] }
  | { readonly olderThan: number }
  | { readonly keepBytes: number }
  | { readonly keepEntries: number }
);

/** How many entries have a vector of a model. */
export interface ModelStats {
  readonly model: string;
  readonly dimensions: number;
  readonly entries: number;
}

/** What a scope holds. Bytes are those of the records and vectors; times are epoch milliseconds. */
export interface MemoryStats {
  readonly entries: number;
  readonly bytes: number;
  readonly tiers: { readonly [Tier in MemoryTier]: { readonly entries: number; readonly bytes: number } };
  /** Entries per model and length of their vectors; those without one are under the empty name, with no dimensions. */
  readonly models: readonly ModelStats[];
  readonly oldest?: number;
  readonly newest?: number;
}

/**
 * Memories by scope. No call sees or changes anything of another scope than the one it names. Each call is atomic, and
 * what it wrote is seen by every later call of any process.
 */
export interface MemoryStore {
  /** Adds entries, or replaces those of the same id. */
  put(scope: string, entries: readonly MemoryEntry[]): Promise<void>;
  /** The entries most like a vector, best first, ties to the later written. */
  searchByVector(query: VectorQuery): Promise<readonly MemoryHit[]>;
  /** The entries that share words with a text, best first, ties to the later written. */
  searchByWords(query: WordQuery): Promise<readonly MemoryHit[]>;
  list(query: ListQuery): Promise<MemoryPage>;
  /** Says how many were forgotten. */
  forget(request: ForgetRequest): Promise<number>;
  stats(scope: string): Promise<MemoryStats>;
  /** The scopes that hold anything. */
  scopes(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Turns texts into vectors, one text a call. */
export interface Embedder {
  /** Names the weights. */
  readonly model: string;
  readonly dimensions: number;
  /** The vector of a text, of unit length; throws `embedding_failed`, `weights_missing` or `weights_invalid`. */
  embed(text: string): Promise<Embedding>;
  close(): Promise<void>;
}

/** What a run needs to remember of itself; results and failures in the order in which they came. */
export interface WorkingMemory {
  readonly goal?: string;
  readonly inputs?: JsonObject;
  readonly plan?: Json;
  readonly results?: readonly JsonObject[];
  readonly failures?: readonly JsonObject[];
}

/** What is to be recalled for one model call. */
export interface RecallRequest {
  /** The key of this effect. */
  readonly key: string;
  /** What memories are to be like. */
  readonly query: string;
  readonly working: WorkingMemory;
  /** The longest that the context may be. */
  readonly budgetChars: number;
}

/** What was recalled for a model call, as the log holds it. */
export const recalledContextSchema = z.strictObject({
  text: z
    .string()
    .meta({ description: 'What the prompt is given, fenced as data; empty where nothing is known.' }),
  included: z
    .array(
      z.strictObject({
        tier: z.enum(MEMORY_TIERS),
        id: z.string(),
        score: z.number().meta({ description: 'How similar it is, 1 at most.' }),
        from: provenanceSchema,
      }),
    )
    .meta({ description: 'The memories in it, in their order.' }),
  leftOut: z
    .strictObject({
      working: z.int().nonnegative(),
      cut: z.int().nonnegative(),
      episodic: z.int().nonnegative(),
      semantic: z.int().nonnegative(),
      duplicates: z.int().nonnegative(),
    })
    .optional()
    .meta({ description: 'What there was no room for, and what was said twice.' }),
  similarity: z.enum(['vectors', 'words', 'fusion']).optional().meta({
    description: 'What was compared: embeddings (vectors), words by their Jaccard index, or both (fusion).',
  }),
  model: z.string().optional().meta({ description: 'The embedding model, where one was used.' }),
  warnings: z.array(z.string()),
  overflow: z
    .strictObject({ tier: z.enum(MEMORY_TIERS), ids: z.array(z.string()), request: askRequestSchema })
    .optional()
    .meta({
      description: 'The oldest memories of a tier that holds too many, and the question that sums them up.',
    }),
});

/** What was recalled for a model call. */
export type RecalledContext = z.infer<typeof recalledContextSchema>;

/** A memory as a tool of a run is told of it. */
export const recalledNoteSchema = z.strictObject({
  text: z.string(),
  figures: z.array(z.string()).optional().meta({ description: 'Figures that the text has lost.' }),
  moreFigures: z.int().positive().optional().meta({ description: 'How many others it has lost.' }),
  tier: z.enum(MEMORY_TIERS),
  score: z.number().meta({ description: 'How similar it is, 1 at most.' }),
  from: provenanceSchema.meta({ description: 'When and where it was learnt.' }),
});

/** A memory as a tool of a run is told of it. */
export type RecalledNote = z.infer<typeof recalledNoteSchema>;

/** What tools of a run remember with, within the scope of its task. `node` is the node that asks. */
export interface ToolMemory {
  /** Keeps a text with its figures; the same id again replaces it. Throws where it could not be kept. */
  remember(note: { readonly id: string; readonly text: string; readonly node: string }): Promise<void>;
  /** The memories most like a text, best first; throws where they could not be looked through. */
  recall(query: {
    readonly text: string;
    readonly tier?: MemoryTier;
    readonly limit: number;
    readonly node: string;
    /** Told what the search went without. */
    readonly warn: (message: string) => void;
  }): Promise<readonly RecalledNote[]>;
}
