import type { ModelAnswer, ModelRequest, StopReason, Usage } from '../../contracts/model.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { malformedAnswer, reportedError } from '../http/api-error.ts';
import { objectAt, objectsAt, textAt } from '../http/json-fields.ts';
import { type AnswerPart, keepReasoning } from '../reasoning.ts';
import { restoreAnswer } from '../schema/restore-answer.ts';
import { type RawToolCall, readToolCalls } from '../tool-arguments.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { usageOfResponse } from './usage.ts';

/** What an answer is read with. */
export interface ResponseContext {
  readonly request: ModelRequest;
  readonly built: ResponsesRequest;
  readonly provider: string;
}

interface OutputReading {
  readonly texts: string[];
  readonly refusals: string[];
  readonly calls: RawToolCall[];
  readonly parts: AnswerPart[];
}

/** The answer that an ended response is; throws `model_malformed` where it has not the form of one. */
export function toResponsesAnswer(response: unknown, context: ResponseContext): ModelAnswer {
  const { provider, request, built } = context;
  if (!isJsonObject(response)) throw malformedAnswer(provider, 'the answer is no response');
  if (isJsonObject(response['error'])) throw reportedError({ provider, error: response['error'] });
  const { texts, refusals, calls, parts } = readOutput(objectsAt(response, 'output'));
  const usage = usageOfResponse(objectAt(response, 'usage'));
  const stop = refusals.length > 0 ? 'refusal' : stopOf(response, context, usage);
  const isWhole = stop === 'stop';
  const toolCalls = isWhole
    ? readToolCalls(calls, built.offered.toolOfWireName, provider, request.role === 'agent')
    : [];
  const said = texts.join('');
  const reasoning = isWhole ? keepReasoning('responses', request.model, parts) : undefined;
  const id = textAt(response, 'id');
  return {
    text: isWhole ? restoreAnswer(said, built.wrap) : said || refusals.join(''),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === undefined ? {} : { reasoning }),
    stop: toolCalls.length > 0 ? 'tool_calls' : stop,
    usage: usage ?? estimateUsage(request, said, toolCalls),
    model: textAt(response, 'model') || request.model,
    provider,
    ...(id === '' ? {} : { id }),
  };
}

function stopOf(
  response: JsonObject,
  { provider, request, built }: ResponseContext,
  usage: Usage | null,
): StopReason {
  const status = textAt(response, 'status');
  if (status === 'completed') {
    // Compatible servers say so of an answer that they cut, too: one that fills its limit cannot be known to be whole.
    const isFull = usage !== null && usage.outputTokens >= request.maxOutputTokens;
    return built.dialect === 'compatible' && isFull ? 'length' : 'stop';
  }
  // Whatever else makes an answer incomplete, it is not whole.
  const reason = textAt(objectAt(response, 'incomplete_details'), 'reason');
  if (status === 'incomplete') return reason === 'content_filter' ? 'content_filter' : 'length';
  throw malformedAnswer(provider, `the response ended as ${status || 'nothing'}`, { details: { status } });
}

function readOutput(items: readonly JsonObject[]): OutputReading {
  const reading: OutputReading = { texts: [], refusals: [], calls: [], parts: [] };
  for (const item of items) {
    switch (textAt(item, 'type')) {
      case 'message':
        readMessage(reading, item);
        break;
      case 'function_call':
        reading.calls.push({
          id: textAt(item, 'call_id'),
          name: textAt(item, 'name'),
          args: textAt(item, 'arguments'),
        });
        reading.parts.push({ kind: 'call', id: textAt(item, 'call_id') });
        break;
      default:
        reading.parts.push({ kind: 'raw', value: item });
    }
  }
  return reading;
}

function readMessage(reading: OutputReading, item: JsonObject): void {
  const content = objectsAt(item, 'content');
  const text = content.map((part) => textAt(part, 'text')).join('');
  const refusal = content.map((part) => textAt(part, 'refusal')).join('');
  const phase = textAt(item, 'phase');
  if (refusal !== '') reading.refusals.push(refusal);
  reading.texts.push(text);
  reading.parts.push({ kind: 'text', length: text.length, ...(phase === '' ? {} : { extra: { phase } }) });
}
