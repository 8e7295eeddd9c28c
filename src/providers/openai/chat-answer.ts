import type { ModelAnswer, ModelRequest, StopReason } from '../../contracts/model.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { malformedAnswer, reportedError } from '../http/api-error.ts';
import { objectAt, objectsAt, textAt } from '../http/json-fields.ts';
import { keepReasoning } from '../reasoning.ts';
import { restoreAnswer } from '../schema/restore-answer.ts';
import { readToolCalls } from '../tool-arguments.ts';
import type { ChatRequest } from './chat-request.ts';
import { usageOfCompletion } from './usage.ts';

const STOP_OF_REASON = new Map<string, StopReason>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
]);

/** What an answer is read with. */
export interface ChatContext {
  readonly request: ModelRequest;
  readonly built: ChatRequest;
  readonly provider: string;
}

/** The answer that a finished completion is; throws `model_malformed` where it has not the form of one. */
export function toChatAnswer(completion: unknown, context: ChatContext): ModelAnswer {
  const { provider, request, built } = context;
  if (!isJsonObject(completion)) throw malformedAnswer(provider, 'the answer is no completion');
  // Some gateways answer 200 with an error in it.
  if (isJsonObject(completion['error'])) throw reportedError({ provider, error: completion['error'] });
  const [choice] = objectsAt(completion, 'choices');
  if (choice === undefined) throw malformedAnswer(provider, 'the answer has no choices');
  if (isJsonObject(choice['error'])) throw reportedError({ provider, error: choice['error'] });
  const message = objectAt(choice, 'message');
  const stop = stopOf(choice, message, provider);
  const isWhole = stop === 'stop' || stop === 'tool_calls';
  const toolCalls = isWhole
    ? readToolCalls(rawCalls(message), built.offered.toolOfWireName, provider, request.role === 'agent')
    : [];
  const said = textAt(message, 'content');
  const text = isWhole ? restoreAnswer(said, built.wrap) : said || textAt(message, 'refusal');
  const reasoning = isWhole
    ? keepThoughts(
        request.model,
        message,
        text,
        toolCalls.map(({ id }) => id),
      )
    : undefined;
  const id = textAt(completion, 'id');
  return {
    text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === undefined ? {} : { reasoning }),
    stop: isWhole ? (toolCalls.length > 0 ? 'tool_calls' : 'stop') : stop,
    usage: usageOfCompletion(objectAt(completion, 'usage')) ?? estimateUsage(request, said, toolCalls),
    model: textAt(completion, 'model') || request.model,
    provider,
    ...(id === '' ? {} : { id }),
  };
}

function stopOf(choice: JsonObject, message: JsonObject, provider: string): StopReason {
  if (textAt(message, 'refusal') !== '') return 'refusal';
  const reason = textAt(choice, 'finish_reason');
  const stop = STOP_OF_REASON.get(reason);
  if (stop !== undefined) return stop;
  throw malformedAnswer(provider, `the answer stops for no known reason (${reason || 'none is given'})`, {
    details: { reason },
  });
}

function rawCalls(message: JsonObject): { id: string; name: string; args: string }[] {
  return objectsAt(message, 'tool_calls').map((call) => {
    const made = objectAt(call, 'function');
    const args = made['arguments'];
    return {
      id: textAt(call, 'id'),
      name: textAt(made, 'name'),
      // Some servers send the value instead of its text.
      args: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    };
  });
}

/** The fields in which compatible servers send what a model thought; they take them back in the same fields. */
function keepThoughts(
  model: string,
  message: JsonObject,
  text: string,
  callIds: readonly string[],
): ModelAnswer['reasoning'] {
  const details = message['reasoning_details'];
  const thought = message['reasoning_content'];
  const kept: JsonObject =
    Array.isArray(details) && details.length > 0
      ? { reasoning_details: details }
      : typeof thought === 'string' && thought !== ''
        ? { reasoning_content: thought }
        : {};
  if (Object.keys(kept).length === 0) return undefined;
  return keepReasoning('chat', model, [
    { kind: 'raw', value: kept },
    { kind: 'text', length: text.length },
    ...callIds.map((id) => ({ kind: 'call' as const, id })),
  ]);
}
