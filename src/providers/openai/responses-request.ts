import type {
  FunctionTool,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { ContentPart, Message, ModelRequest, ToolCall } from '../../contracts/model.ts';
import { acceptsTemperature, isOpenAiReasoning } from '../model-traits.ts';
import { type OfferedTools, offerTools } from '../offered-tools.ts';
import { partsOf, type ResolvedPart } from '../reasoning.ts';
import type { AnswerWrap } from '../schema/restore-answer.ts';
import { wireName } from '../tool-names.ts';
import { toWireFormat } from './answer-format.ts';
import type { OpenAiOptions } from './options.ts';

/** A request as the Responses API takes it, and what is needed to read its answer. */
export interface ResponsesRequest {
  readonly body: Omit<ResponseCreateParamsNonStreaming, 'stream'>;
  readonly dialect: OpenAiOptions['dialect'];
  readonly offered: OfferedTools;
  readonly wrap: AnswerWrap | null;
}

/** The least that the API takes. */
const LEAST_OUTPUT_TOKENS = 16;

/** The request for the Responses API; what the model does not accept is left out with a warning. */
export function buildResponsesRequest(
  request: ModelRequest,
  dialect: OpenAiOptions['dialect'],
  warn: (text: string) => void,
): ResponsesRequest {
  const { model, messages, maxOutputTokens, temperature, reasoning } = request;
  const offered = offerTools(request, warn);
  const format = toWireFormat(request.format, dialect);
  const tools = offered.tools.map(({ name, description, schema }): FunctionTool => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    // Left out it would mean true here.
    strict: false,
  }));
  const takesTemperature = acceptsTemperature(model);
  if (temperature !== undefined && !takesTemperature) warn(`${model} takes no temperature; it is left out`);
  return {
    body: {
      model,
      input: messages.flatMap((message) => toItems(message, model)),
      max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, maxOutputTokens),
      store: false,
      // Without state at the server its reasoning must come along, which only models that reason have.
      ...(dialect === 'openai' && isOpenAiReasoning(model)
        ? { include: ['reasoning.encrypted_content' as const] }
        : {}),
      ...(temperature !== undefined && takesTemperature ? { temperature } : {}),
      ...(reasoning === undefined ? {} : { reasoning: { effort: reasoning } }),
      ...(tools.length === 0 ? {} : { tools, tool_choice: request.toolChoice ?? 'auto' }),
      ...(format === null
        ? {}
        : {
            text: {
              format: {
                type: 'json_schema' as const,
                name: format.name,
                schema: format.schema,
                ...(format.strict === undefined ? {} : { strict: format.strict }),
              },
            },
          }),
    },
    dialect,
    offered,
    wrap: format?.wrap ?? null,
  };
}

function toItems(message: Message, model: string): ResponseInputItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [
        {
          role: 'user',
          content: typeof message.content === 'string' ? message.content : message.content.map(toContentPart),
        },
      ];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: message.content }];
    case 'assistant':
      return partsOf(message, 'responses', model).flatMap((part) =>
        toAnswerItems(part, message.toolCalls ?? []),
      );
  }
}

function toContentPart(
  part: ContentPart,
): { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' } {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`, detail: 'auto' };
}

function toAnswerItems(part: ResolvedPart, calls: readonly ToolCall[]): ResponseInputItem[] {
  switch (part.kind) {
    case 'raw':
      return [part.value as unknown as ResponseInputItem];
    case 'text':
      return part.text === '' ? [] : [{ role: 'assistant', content: part.text, ...part.extra }];
    case 'call':
      return calls.flatMap(({ id, name, args }) =>
        id === part.id
          ? [
              {
                type: 'function_call' as const,
                call_id: id,
                name: wireName(name),
                arguments: JSON.stringify(args),
              },
            ]
          : [],
      );
  }
}
