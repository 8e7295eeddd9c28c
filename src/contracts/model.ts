import { z } from 'zod';
import type { Json } from '../kernel/json.ts';
import { jsonValue } from './json-value.ts';
import type { JsonSchema } from './schema.ts';

/** What a model call used, in tokens, as the API reported it (or estimated where it did not). */
export const usageSchema = z.strictObject({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadTokens: z.number().int().nonnegative().optional(),
  cacheWriteTokens: z.number().int().nonnegative().optional(),
  reasoningTokens: z.number().int().nonnegative().optional(),
  /** True where the API gave no figures and these were estimated from lengths. */
  estimated: z.boolean().optional(),
});

/** Tokens used by a call. `inputTokens` includes those read from and written to a prompt cache. */
export type Usage = z.infer<typeof usageSchema>;

/** An image that a model is shown: its media type and its bytes in base64. */
export interface Image {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  readonly data: string;
}

/** A part of a message. */
export type ContentPart =
  { readonly type: 'text'; readonly text: string } | ({ readonly type: 'image' } & Image);

/** What an image is taken to cost at most in input tokens: vendors count by its size on the screen, not in bytes. */
export const MOST_TOKENS_OF_IMAGE = 6000;

const imageTaskSchema = z.strictObject({
  kind: z.literal('image'),
  size: z.enum(['1024x1024', '1536x1024', '1024x1536']),
  quality: z.enum(['low', 'medium', 'high']),
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
});

const transcriptTaskSchema = z.strictObject({
  kind: z.literal('transcript'),
  mediaType: z.string().min(1),
  /** The recording in base64. */
  data: z.base64().min(1),
  language: z.string().optional(),
});

const mediaTaskSchema = z.union([imageTaskSchema, transcriptTaskSchema]);

/** An image that is to be made from the prompt; the answer's text is its bytes in base64. */
export type ImageTask = z.infer<typeof imageTaskSchema>;

/** Speech that is to be written down, with the prompt as a hint; the answer's text is what was said. */
export type TranscriptTask = z.infer<typeof transcriptTaskSchema>;

/** What a call is for where it is no conversation. */
export type MediaTask = ImageTask | TranscriptTask;

/** Characters of a recording in base64 that count as an input token: 17 tokens a second, at 16 kbit/s or more. */
export const AUDIO_CHARS_PER_TOKEN = 160;

/** A tool call that a model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}

/** One message of a conversation. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: readonly Json[];
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** A JSON Schema that the answer must meet. */
export interface AnswerFormat {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** A tool as a model is offered it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
}

/** How much a model thinks before it answers; models that always think take `none` as their least. */
export type ReasoningEffort = 'none' | 'low' | 'medium' | 'high';

/** One call of a model, the same for every provider; its hash identifies it. */
export interface ModelRequest {
  /** Who asks: planner, replanner, critic, worker, or a role of the task's own such as summarizer. */
  readonly role: string;
  /** Model name at the provider; empty where the provider has only one. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly reasoning?: ReasoningEffort;
  readonly format?: AnswerFormat;
  readonly media?: MediaTask;
  readonly tools?: readonly OfferedTool[];
  readonly toolChoice?: 'auto' | 'required' | 'none';
}

/** Why a model stopped. */
export type StopReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal';

/** One complete answer of a model. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly reasoning?: readonly Json[];
  readonly stop: StopReason;
  readonly usage: Usage;
  readonly model: string;
  readonly provider?: string;
  readonly id?: string;
}

/** A piece of a streamed answer. The call may still fail or be aborted: then nothing of it counts. */
export interface ModelDelta {
  /** Key of the call, as in its `model.requested`. */
  readonly key: string;
  readonly role: string;
  /** The node that asks; none for the run's own calls. */
  readonly node?: string;
  readonly text: string;
}

/** The schema of an answer in the log. */
export const modelAnswerSchema = z.strictObject({
  text: z.string(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), args: jsonValue })).optional(),
  reasoning: z.array(jsonValue).optional(),
  stop: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'refusal']),
  usage: usageSchema,
  /** The model that answered, as the provider names it. */
  model: z.string(),
  provider: z.string().optional(),
  id: z.string().optional(),
}) as unknown as z.ZodType<ModelAnswer>;

/** What a tool asks a model through `ctx.ask`. */
export interface AskRequest {
  readonly instructions?: string;
  readonly prompt: string;
  /** Shown before the prompt, for a role whose model can see. */
  readonly images?: readonly Image[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly format?: AnswerFormat;
  /** Asks for something else than words, of a role whose model makes it. */
  readonly media?: MediaTask;
}

const imageSchema = z.strictObject({
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
  data: z.base64().min(1),
});

/** The schema of a tool's question. */
export const askRequestSchema = z.strictObject({
  /** Standing instructions, sent as the system message. */
  instructions: z.string().optional(),
  /** The question with its data. */
  prompt: z.string(),
  /** Images that are shown before the prompt, in base64; at most 20. */
  images: z.array(imageSchema).max(20).optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Where given, the answer must be JSON that meets this schema. */
  format: z
    .strictObject({ name: z.string(), schema: z.union([z.record(z.string(), jsonValue), z.boolean()]) })
    .optional(),
  /** Where given, an image is to be made, or speech to be written down. */
  media: mediaTaskSchema.optional(),
}) as unknown as z.ZodType<AskRequest>;
