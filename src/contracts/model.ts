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

/** A part of a message. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

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
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly format?: AnswerFormat;
}

/** The schema of a tool's question. */
export const askRequestSchema = z.strictObject({
  /** Standing instructions, sent as the system message. */
  instructions: z.string().optional(),
  /** The question with its data. */
  prompt: z.string(),
  maxOutputTokens: z.number().int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Where given, the answer must be JSON that meets this schema. */
  format: z
    .strictObject({ name: z.string(), schema: z.union([z.record(z.string(), jsonValue), z.boolean()]) })
    .optional(),
}) as unknown as z.ZodType<AskRequest>;
