/*
 * What a model thought is kept as its API sent it and goes back unchanged, in its place between the texts and the tool
 * calls of the answer. It belongs to the API and the model that made it: any other model never gets to see it.
 */
import type { Message } from '../contracts/model.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';

/** The APIs that are spoken. */
export type ApiMode = 'messages' | 'chat' | 'responses';

/** A part of an answer in its order: reasoning as it was sent, or a reference to what the message holds anyway. */
export type AnswerPart =
  | { readonly kind: 'raw'; readonly value: Json }
  | { readonly kind: 'text'; readonly length: number; readonly extra?: JsonObject }
  | { readonly kind: 'call'; readonly id: string };

/** A part with what it refers to. */
export type ResolvedPart =
  | { readonly kind: 'raw'; readonly value: Json }
  | { readonly kind: 'text'; readonly text: string; readonly extra?: JsonObject }
  | { readonly kind: 'call'; readonly id: string };

type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** The `reasoning` of an answer with these parts; undefined where the model showed none. */
export function keepReasoning(
  api: ApiMode,
  model: string,
  parts: readonly AnswerPart[],
): readonly Json[] | undefined {
  if (!parts.some(({ kind }) => kind === 'raw')) return undefined;
  return [{ api, model, parts: parts as unknown as readonly Json[] }];
}

/** The parts of an earlier answer in their order; without reasoning where another API or model made it. */
export function partsOf(message: AssistantMessage, api: ApiMode, model: string): readonly ResolvedPart[] {
  // Of answers that were put together each has left its own.
  const parts = (message.reasoning ?? []).flatMap((item) =>
    isJsonObject(item) && item['api'] === api && item['model'] === model
      ? (item['parts'] as unknown as readonly AnswerPart[])
      : [],
  );
  return (
    resolveParts(message, parts) ??
    ([...parts.filter(({ kind }) => kind === 'raw'), ...plainParts(message)] as ResolvedPart[])
  );
}

/** What of the reasoning of an answer can be read; most of it is for the API alone. */
export function readableReasoning(reasoning: readonly Json[]): string {
  const parts = reasoning.flatMap((item) =>
    isJsonObject(item) && Array.isArray(item['parts'])
      ? (item['parts'] as unknown as readonly AnswerPart[])
      : [],
  );
  return parts
    .flatMap((part) => (part.kind === 'raw' ? readTexts(part.value) : []))
    .join('\n')
    .trim();
}

/** Fields that hold text, as the APIs name them: thinking of Messages, summaries of Responses, and what servers of Chat have. */
const TEXT_FIELDS = ['thinking', 'text', 'reasoning', 'reasoning_content'] as const;

function readTexts(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readTexts);
  if (!isJsonObject(value)) return [];
  const texts = TEXT_FIELDS.flatMap((name) => {
    const field = value[name];
    return typeof field === 'string' && field.trim() !== '' ? [field.trim()] : [];
  });
  return [...texts.slice(0, 1), ...readTexts(value['summary'])];
}

function plainParts({ content, toolCalls = [] }: AssistantMessage): readonly ResolvedPart[] {
  return [
    ...(content === '' ? [] : [{ kind: 'text' as const, text: content }]),
    ...toolCalls.map(({ id }) => ({ kind: 'call' as const, id })),
  ];
}

/** Null where the message does not hold what the parts refer to, since somebody has changed it. */
function resolveParts(
  { content, toolCalls = [] }: AssistantMessage,
  parts: readonly AnswerPart[],
): readonly ResolvedPart[] | null {
  const left = new Set(toolCalls.map(({ id }) => id));
  let offset = 0;
  const resolved: ResolvedPart[] = [];
  for (const part of parts) {
    switch (part.kind) {
      case 'raw':
        resolved.push(part);
        break;
      case 'text':
        resolved.push({
          kind: 'text',
          text: content.slice(offset, offset + part.length),
          ...(part.extra === undefined ? {} : { extra: part.extra }),
        });
        offset += part.length;
        break;
      case 'call':
        if (!left.delete(part.id)) return null;
        resolved.push(part);
    }
  }
  return offset === content.length && left.size === 0 ? resolved : null;
}
