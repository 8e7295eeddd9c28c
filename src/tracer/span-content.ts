import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';

/** Instructions to a model, as the conventions have them on a span: a JSON text. */
export function instructionsContent(text: string): string {
  return canonicalJson([{ type: 'text', content: text }]);
}

/** What was said to a model or an agent, as the conventions have it on a span: a JSON text. */
export function inputContent(text: string): string {
  return canonicalJson([{ role: 'user', parts: [{ type: 'text', content: text }] }]);
}

/** What a model or an agent answered, as the conventions have it on a span: a JSON text. */
export function outputContent(text: string, finishReason: string): string {
  return canonicalJson([
    { role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason: finishReason },
  ]);
}

/** A value as text: strings as they are, everything else as JSON. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}
