import type { ModelAnswer, ModelRequest, StopReason } from '../../contracts/model.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { malformedAnswer, reportedError } from '../http/api-error.ts';
import { objectAt, objectsAt, textAt } from '../http/json-fields.ts';
import { type AnswerPart, keepReasoning } from '../reasoning.ts';
import { restoreAnswer } from '../schema/restore-answer.ts';
import { type RawToolCall, readToolCalls } from '../tool-arguments.ts';
import type { MessagesRequest } from './request.ts';
import { usageOfMessage } from './usage.ts';

const STOP_OF_REASON = new Map<string, StopReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);

/** What an answer is read with. */
export interface MessageContext {
  readonly request: ModelRequest;
  readonly built: MessagesRequest;
  readonly provider: string;
}

/** The answer that a finished message is; throws `model_malformed` where it has not the form of one. */
export function toMessagesAnswer(message: unknown, context: MessageContext): ModelAnswer {
  const { provider, request } = context;
  if (!isJsonObject(message)) throw malformedAnswer(provider, 'the answer is no message');
  if (message['type'] === 'error') throw reportedError({ provider, error: message });
  const reason = textAt(message, 'stop_reason');
  const stop = STOP_OF_REASON.get(reason);
  if (stop === undefined || !Array.isArray(message['content'])) {
    throw malformedAnswer(provider, `the answer stops for no known reason (${reason || 'none is given'})`, {
      details: { reason },
    });
  }
  const { texts, calls, parts } = readBlocks(objectsAt(message, 'content'));
  const isWhole = stop === 'stop' || stop === 'tool_calls';
  const said = context.built.isTextByTool
    ? [...texts, ...calls.map(({ args }) => args)].join('')
    : texts.join('');
  const toolCalls =
    isWhole && !context.built.isTextByTool
      ? readToolCalls(calls, context.built.offered.toolOfWireName, provider, request.role === 'agent')
      : [];
  const reasoning = isWhole ? keepReasoning('messages', request.model, parts) : undefined;
  const id = textAt(message, 'id');
  return {
    text: isWhole ? restoreAnswer(said, context.built.wrap) : said || explanationOf(message),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === undefined ? {} : { reasoning }),
    stop: isWhole ? (toolCalls.length > 0 ? 'tool_calls' : 'stop') : stop,
    usage: usageOfMessage(objectAt(message, 'usage')) ?? estimateUsage(request, said, toolCalls),
    model: textAt(message, 'model') || request.model,
    provider,
    ...(id === '' ? {} : { id }),
  };
}

/** Why a model refused, where it says so. */
function explanationOf(message: JsonObject): string {
  return textAt(objectAt(message, 'stop_details'), 'explanation');
}

function readBlocks(blocks: readonly JsonObject[]): {
  texts: readonly string[];
  calls: readonly RawToolCall[];
  parts: readonly AnswerPart[];
} {
  const texts: string[] = [];
  const calls: RawToolCall[] = [];
  const parts: AnswerPart[] = [];
  for (const block of blocks) {
    switch (textAt(block, 'type')) {
      case 'text':
        texts.push(textAt(block, 'text'));
        parts.push({ kind: 'text', length: textAt(block, 'text').length });
        break;
      case 'tool_use':
        calls.push({ id: textAt(block, 'id'), name: textAt(block, 'name'), args: argumentsOf(block) });
        parts.push({ kind: 'call', id: textAt(block, 'id') });
        break;
      default:
        parts.push({ kind: 'raw', value: block });
    }
  }
  return { texts, calls, parts };
}

/** The arguments as text: as they were streamed, or the value that came whole. */
function argumentsOf(block: JsonObject): string {
  const streamed = block['input_json'];
  if (typeof streamed === 'string' && streamed !== '') return streamed;
  return JSON.stringify(block['input'] ?? ({} as Json));
}
