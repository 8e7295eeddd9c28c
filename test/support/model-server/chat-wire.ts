import type { Message } from '../../../src/contracts/model.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { halves, PLAIN_USAGE, type Wire, type WireReply } from './wire.ts';

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Param {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

interface Body {
  readonly model: string;
  readonly max_completion_tokens?: number;
  readonly max_tokens?: number;
  readonly messages: readonly Param[];
  readonly tools?: readonly {
    readonly function: {
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonObject;
    };
  }[];
  readonly response_format?: { readonly json_schema: { readonly name: string; readonly schema: JsonObject } };
}

function decodeParam({
  role,
  content,
  tool_calls: calls = [],
  tool_call_id: toolCallId = '',
}: Param): Message {
  const text =
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  if (role === 'tool') return { role, toolCallId, content: text };
  if (role !== 'assistant') return { role, content: text };
  const toolCalls = calls.map(({ id, function: made }) => ({
    id,
    name: made.name,
    args: JSON.parse(made.arguments) as JsonObject,
  }));
  return { role, content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
}

function finishReason({ stop, toolCalls = [] }: WireReply): string {
  if (stop === 'refusal') return 'stop';
  return stop ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function usageOf({ usage = PLAIN_USAGE }: WireReply): JsonObject {
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** A refusal has a field of its own. */
function said({ text = '', stop }: WireReply): JsonObject {
  return stop === 'refusal'
    ? { content: null, refusal: text || 'I will not.' }
    : { content: text, refusal: null };
}

/** OpenAI's Chat Completions API. */
export const chatWire: Wire = {
  path: '/v1/chat/completions',
  decode(untyped) {
    const body = untyped as unknown as Body;
    return {
      model: body.model,
      maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? 0,
      messages: body.messages.map(decodeParam),
      tools: (body.tools ?? []).map(({ function: made }) => ({ ...made, input: made.parameters })),
      format: body.response_format?.json_schema ?? null,
    };
  },
  encode(reply, model) {
    const { toolCalls = [], thoughts = [] } = reply;
    const calls = toolCalls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    const message = { role: 'assistant', ...said(reply), ...Object.assign({}, ...thoughts) } as JsonObject;
    return {
      id: 'chatcmpl_1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [
        {
          index: 0,
          finish_reason: finishReason(reply),
          message: { ...message, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
        },
      ],
      usage: usageOf(reply),
    };
  },
  stream(reply, model) {
    const { toolCalls = [], thoughts = [] } = reply;
    const chunk = (choices: readonly JsonObject[], rest: JsonObject = {}): JsonObject => ({
      id: 'chatcmpl_1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices,
      ...rest,
    });
    const delta = (piece: JsonObject, finish: string | null = null): JsonObject =>
      chunk([{ index: 0, delta: piece, finish_reason: finish }]);
    const message = said(reply);
    const pieces = (key: string, text: unknown): JsonObject[] =>
      typeof text === 'string' ? halves(text).map((piece) => delta({ [key]: piece })) : [];
    return [
      { data: delta({ role: 'assistant', content: '' }) },
      ...thoughts
        .flatMap((thought) => Object.entries(thought))
        .flatMap(([key, value]) =>
          typeof value === 'string' ? pieces(key, value) : [delta({ [key]: value })],
        )
        .map((data) => ({ data })),
      ...[...pieces('content', message['content']), ...pieces('refusal', message['refusal'])].map((data) => ({
        data,
      })),
      ...toolCalls.flatMap(({ id, name, args }, index) => [
        { data: delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }) },
        ...halves(args).map((piece) => ({
          data: delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
          isCallPiece: true,
        })),
      ]),
      { data: delta({}, finishReason(reply)), isEndMarker: true },
      { data: chunk([], { usage: usageOf(reply) }) },
      { data: '[DONE]' },
    ];
  },
  error: ({ type, code, message }) => ({ error: { type, message, code: code ?? null, param: null } }),
  errorEvent: (kind) => ({ data: chatWire.error(kind) }),
};
