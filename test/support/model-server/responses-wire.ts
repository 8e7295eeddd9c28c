import type { Message } from '../../../src/contracts/model.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { halves, PLAIN_USAGE, type Wire, type WireEvent, type WireReply } from './wire.ts';

interface Item {
  readonly type?: string;
  readonly role?: 'system' | 'user' | 'assistant';
  readonly content?: string | readonly { readonly text?: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string;
}

interface Body {
  readonly model: string;
  readonly max_output_tokens: number;
  readonly input: readonly Item[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[];
  readonly text?: { readonly format: { readonly name: string; readonly schema: JsonObject } };
}

function decodeItem(item: Item): Message[] {
  const { role, content = '', call_id: id = '' } = item;
  if (item.type === 'function_call_output')
    return [{ role: 'tool', toolCallId: id, content: item.output ?? '' }];
  if (item.type === 'function_call') {
    const args = JSON.parse(item.arguments ?? '{}') as JsonObject;
    return [{ role: 'assistant', content: '', toolCalls: [{ id, name: item.name ?? '', args }] }];
  }
  if (role === undefined) return [];
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
  return [{ role, content: text }];
}

function usageOf({ usage = PLAIN_USAGE }: WireReply): JsonObject {
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function outputOf({ text = '', toolCalls = [], thoughts = [], stop }: WireReply): JsonObject[] {
  const status = stop === 'length' ? 'incomplete' : 'completed';
  const content =
    stop === 'refusal'
      ? [{ type: 'refusal', refusal: text || 'I will not.' }]
      : [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status, phase: 'final_answer', content };
  return [
    ...thoughts,
    ...(text === '' && stop !== 'refusal' ? [] : [message]),
    ...toolCalls.map(({ id, name, args }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: args,
      status,
    })),
  ];
}

function responseOf(reply: WireReply, model: string): JsonObject {
  const { stop } = reply;
  const isIncomplete = stop === 'length' || stop === 'content_filter';
  const reason = stop === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model,
    status: isIncomplete ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isIncomplete ? { reason } : null,
    output: outputOf(reply),
    usage: usageOf(reply),
  };
}

/** OpenAI's Responses API. */
export const responsesWire: Wire = {
  path: '/v1/responses',
  decode(untyped) {
    const body = untyped as unknown as Body;
    return {
      model: body.model,
      maxOutputTokens: body.max_output_tokens,
      messages: body.input.flatMap(decodeItem),
      tools: (body.tools ?? []).map((tool) => ({ ...tool, input: tool.parameters })),
      format: body.text?.format ?? null,
    };
  },
  encode: responseOf,
  stream(reply, model) {
    let sequence = 0;
    const event = (type: string, rest: JsonObject): WireEvent => ({
      event: type,
      data: { type, sequence_number: sequence++, ...rest },
    });
    const response = responseOf(reply, model);
    const open = { ...response, status: 'in_progress', output: [], usage: null };
    return [
      event('response.created', { response: open }),
      ...outputOf(reply).flatMap((item, output_index) => [
        event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }),
        ...(item['type'] === 'message' && reply.stop !== 'refusal'
          ? halves(reply.text ?? '').map((delta) =>
              event('response.output_text.delta', { output_index, delta }),
            )
          : []),
        ...(item['type'] === 'function_call'
          ? halves(item['arguments'] as string).map((delta) => ({
              ...event('response.function_call_arguments.delta', { output_index, delta }),
              isCallPiece: true,
            }))
          : []),
        event('response.output_item.done', { output_index, item }),
      ]),
      { ...event(`response.${response['status'] as string}`, { response }), isEndMarker: true },
    ];
  },
  error: ({ type, code, message }) => ({ error: { type, message, code: code ?? null, param: null } }),
  errorEvent: ({ type, message }) => ({
    event: 'error',
    data: { type: 'error', code: type, message, param: null },
  }),
};
