import type { Message } from '../../../src/contracts/model.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { halves, PLAIN_USAGE, type Wire, type WireEvent, type WireReply } from './wire.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: JsonObject;
  readonly tool_use_id?: string;
  readonly content?: string;
}

interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly Block[] }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description: string;
    readonly input_schema: JsonObject;
  }[];
  readonly output_config?: { readonly format?: { readonly schema: JsonObject } };
}

function decodeTurn({ role, content }: Body['messages'][number]): Message[] {
  const text = content.map((block) => block.text ?? '').join('');
  if (role === 'assistant') {
    const calls = content.filter(({ type }) => type === 'tool_use');
    const toolCalls = calls.map(({ id = '', name = '', input = {} }) => ({ id, name, args: input }));
    return [{ role, content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) }];
  }
  const results = content.flatMap((block): Message[] =>
    block.type === 'tool_result'
      ? [{ role: 'tool', toolCallId: block.tool_use_id ?? '', content: block.content ?? '' }]
      : [],
  );
  return [...results, ...(text === '' ? [] : [{ role, content: text } as const])];
}

function stopReason({ stop, toolCalls = [] }: WireReply): string {
  if (stop === 'length') return 'max_tokens';
  if (stop !== undefined) return 'refusal';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

function usageOf({ usage = PLAIN_USAGE }: WireReply): JsonObject {
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning } = usage;
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
    output_tokens_details: reasoning === undefined ? null : { thinking_tokens: reasoning },
  };
}

function head(model: string): JsonObject {
  return { id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null };
}

function event(type: string, rest: JsonObject = {}): WireEvent {
  return { event: type, data: { type, ...rest } };
}

/** The events of one block: begun, in pieces, ended. */
function blockEvents(index: number, start: JsonObject, pieces: readonly JsonObject[]): WireEvent[] {
  return [
    event('content_block_start', { index, content_block: start }),
    ...pieces.map((delta) => ({
      ...event('content_block_delta', { index, delta }),
      isCallPiece: delta['type'] === 'input_json_delta',
    })),
    event('content_block_stop', { index }),
  ];
}

function thoughtEvents(index: number, thought: JsonObject): WireEvent[] {
  if (thought['type'] !== 'thinking') return blockEvents(index, thought, []);
  return blockEvents(index, { ...thought, thinking: '', signature: '' }, [
    ...halves(thought['thinking'] as string).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: thought['signature'] as string },
  ]);
}

function parse(args: string): JsonObject {
  try {
    return JSON.parse(args || '{}') as JsonObject;
  } catch {
    // A server that does not stream has parsed them itself; it can only send on what is no object.
    return args as unknown as JsonObject;
  }
}

/** Anthropic's Messages API. */
export const messagesWire: Wire = {
  path: '/v1/messages',
  decode(untyped) {
    const body = untyped as unknown as Body;
    const schema = body.output_config?.format?.schema;
    return {
      model: body.model,
      maxOutputTokens: body.max_tokens,
      messages: [
        ...(body.system ?? []).map(({ text = '' }) => ({ role: 'system', content: text }) as const),
        ...body.messages.flatMap(decodeTurn),
      ],
      tools: (body.tools ?? []).map((tool) => ({ ...tool, input: tool.input_schema })),
      format: schema === undefined ? null : { name: 'answer', schema },
    };
  },
  encode(reply, model) {
    const { text = '', toolCalls = [], thoughts = [] } = reply;
    return {
      ...head(model),
      content: [
        ...thoughts,
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...toolCalls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: parse(args) })),
      ],
      stop_reason: stopReason(reply),
      usage: usageOf(reply),
    };
  },
  stream(reply, model) {
    const { text = '', toolCalls = [], thoughts = [] } = reply;
    const usage = usageOf(reply);
    let index = 0;
    return [
      event('message_start', {
        message: { ...head(model), content: [], usage: { ...usage, output_tokens: 1 } },
      }),
      event('ping'),
      ...thoughts.flatMap((thought) => thoughtEvents(index++, thought)),
      ...(text === ''
        ? []
        : blockEvents(
            index++,
            { type: 'text', text: '' },
            halves(text).map((piece) => ({ type: 'text_delta', text: piece })),
          )),
      ...toolCalls.flatMap(({ id, name, args }) =>
        blockEvents(
          index++,
          { type: 'tool_use', id, name, input: {} },
          halves(args).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        ),
      ),
      event('message_delta', {
        delta: { stop_reason: stopReason(reply), stop_sequence: null },
        usage: {
          output_tokens: usage['output_tokens'] ?? 0,
          input_tokens: null,
          output_tokens_details: usage['output_tokens_details'] ?? null,
        },
      }),
      { ...event('message_stop'), isEndMarker: true },
    ];
  },
  error: ({ type, code, message }) => ({
    type: 'error',
    error: { type, message, ...(code === undefined ? {} : { details: { error_code: code } }) },
  }),
  errorEvent: (kind) => ({ event: 'error', data: messagesWire.error(kind) }),
};
