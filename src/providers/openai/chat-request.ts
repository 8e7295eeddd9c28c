import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ContentPart, Message, ModelRequest } from '../../contracts/model.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { acceptsTemperature } from '../model-traits.ts';
import { type OfferedTools, offerTools } from '../offered-tools.ts';
import { partsOf } from '../reasoning.ts';
import type { AnswerWrap } from '../schema/restore-answer.ts';
import { wireName } from '../tool-names.ts';
import { toWireFormat } from './answer-format.ts';
import type { OpenAiOptions } from './options.ts';

/** A request as Chat Completions takes it, and what is needed to read its answer. */
export interface ChatRequest {
  readonly body: Omit<ChatCompletionCreateParamsNonStreaming, 'stream'>;
  readonly offered: OfferedTools;
  readonly wrap: AnswerWrap | null;
}

/** The request for Chat Completions; what the model does not accept is left out with a warning. */
export function buildChatRequest(
  request: ModelRequest,
  dialect: OpenAiOptions['dialect'],
  warn: (text: string) => void,
): ChatRequest {
  const { model, messages, maxOutputTokens, temperature, reasoning } = request;
  const offered = offerTools(request, warn);
  const format = toWireFormat(request.format, dialect);
  const tools = offered.tools.map(({ name, description, schema }): ChatCompletionFunctionTool => ({
    type: 'function',
    function: { name, description, parameters: schema },
  }));
  const takesTemperature = acceptsTemperature(model);
  if (temperature !== undefined && !takesTemperature) warn(`${model} takes no temperature; it is left out`);
  return {
    body: {
      model,
      messages: messages.map((message) => toParam(message, model)),
      ...limitOutput(maxOutputTokens, dialect),
      ...(temperature !== undefined && takesTemperature ? { temperature } : {}),
      ...(reasoning === undefined ? {} : { reasoning_effort: reasoning }),
      ...(tools.length === 0 ? {} : { tools, tool_choice: request.toolChoice ?? 'auto' }),
      ...(format === null
        ? {}
        : {
            response_format: {
              type: 'json_schema' as const,
              json_schema: {
                name: format.name,
                schema: format.schema,
                ...(format.strict === undefined ? {} : { strict: format.strict }),
              },
            },
          }),
    },
    offered,
    wrap: format?.wrap ?? null,
  };
}

/** OpenAI's newer models know but the one name of the limit, older servers but the other. */
function limitOutput(tokens: number, dialect: OpenAiOptions['dialect']): Record<string, number> {
  return { [dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens']: tokens };
}

function toParam(message: Message, model: string): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(toContentPart),
      };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant':
      return toAssistantParam(message, model);
  }
}

function toContentPart(
  part: ContentPart,
): { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } } {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

function toAssistantParam(
  message: Extract<Message, { role: 'assistant' }>,
  model: string,
): ChatCompletionMessageParam {
  const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
    id,
    type: 'function' as const,
    function: { name: wireName(name), arguments: JSON.stringify(args) },
  }));
  // The fields of this API that hold what a model thought are those of servers, not of OpenAI's own.
  const thoughts = partsOf(message, 'chat', model).flatMap((part): readonly JsonObject[] =>
    part.kind === 'raw' && isJsonObject(part.value) ? [part.value] : [],
  );
  return {
    ...Object.assign({}, ...thoughts),
    role: 'assistant',
    content: message.content === '' && calls.length > 0 ? null : message.content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  } as ChatCompletionMessageParam;
}
