import type { AskRequest, Message, ModelAnswer, ModelRequest } from '../contracts/model.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { Json } from '../kernel/json.ts';
import { ATTRIBUTE, conventionalFinish } from './semconv.ts';

/** Collectors refuse large requests, and nobody reads more of one text in a trace. */
const LONGEST_TEXT = 16_384;
/** Of a longer conversation the beginning is left off. */
const MOST_MESSAGES = 64;

const textPart = (content: string) => ({ type: 'text', content: cutText(content, LONGEST_TEXT) });

/** What was said to an agent, as the conventions have it on a span: a JSON text. */
export function inputContent(text: string): string {
  return canonicalJson([{ role: 'user', parts: [textPart(text)] }]);
}

/** What an agent answered, as the conventions have it on a span: a JSON text. */
export function outputContent(text: string, finishReason: string): string {
  return canonicalJson([{ role: 'assistant', parts: [textPart(text)], finish_reason: finishReason }]);
}

/** What a model answered, calls of tools among it. */
export function answerContent({ text, toolCalls = [], stop }: ModelAnswer): string {
  const calls = toolCalls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args }));
  const parts = text === '' && calls.length > 0 ? calls : [textPart(text), ...calls];
  return canonicalJson([{ role: 'assistant', parts, finish_reason: conventionalFinish(stop) }]);
}

/** Instructions and conversation of a model call, from its whole request where that is known, else from the question. */
export function requestContent(
  request: ModelRequest | undefined,
  ask: AskRequest | undefined,
): Record<string, string> {
  const messages = request?.messages ?? (ask === undefined ? [] : messagesOf(ask));
  const instructions = messages.flatMap((message) =>
    message.role === 'system' ? [textPart(message.content)] : [],
  );
  const said = messages.filter(({ role }) => role !== 'system').slice(-MOST_MESSAGES);
  return {
    ...(instructions.length === 0 ? {} : { [ATTRIBUTE.systemInstructions]: canonicalJson(instructions) }),
    ...(said.length === 0 ? {} : { [ATTRIBUTE.inputMessages]: canonicalJson(said.map(toSaid)) }),
  };
}

function messagesOf({ instructions, prompt }: AskRequest): Message[] {
  const user: Message = { role: 'user', content: prompt };
  return instructions === undefined ? [user] : [{ role: 'system', content: instructions }, user];
}

function toSaid(message: Message): Json {
  if (message.role === 'tool') {
    const response = cutText(message.content, LONGEST_TEXT);
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.toolCallId, response }] };
  }
  if (typeof message.content === 'string') {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const parts = calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args }));
    return { role: message.role, parts: [textPart(message.content), ...parts] };
  }
  const parts = message.content.map((part) =>
    part.type === 'text'
      ? textPart(part.text)
      : { type: 'blob', modality: 'image', mime_type: part.mediaType, content: '' },
  );
  return { role: message.role, parts };
}

/** A value as text: strings as they are, everything else as JSON; cut where it is too long for a span. */
export function textOf(value: Json): string {
  return cutText(typeof value === 'string' ? value : canonicalJson(value), LONGEST_TEXT);
}
