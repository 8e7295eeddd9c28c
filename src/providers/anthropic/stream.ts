import type { JsonObject } from '../../kernel/json.ts';
import { malformedAnswer, unfinishedAnswer } from '../http/api-error.ts';
import { objectAt, textAt } from '../http/json-fields.ts';

/** What an assembly reports on its way. */
export interface MessageAssembly {
  readonly provider: string;
  /** The arguments of the one tool are the text of the answer. */
  readonly isTextByTool: boolean;
  readonly onText: (text: string) => void;
  readonly onUsage: (usage: JsonObject) => void;
  /** The end marker has come. */
  readonly onEnd: () => void;
}

interface OpenBlock {
  readonly start: JsonObject;
  text: string;
  signature: string;
  json: string;
}

/**
 * The message that a stream of events amounts to, as if it had not been streamed, but for the arguments of tools: they
 * stay text, under `input_json`. Throws `model_unreachable` unless `message_stop` and a stop reason have come.
 */
export async function assembleMessage(
  events: AsyncIterable<JsonObject>,
  assembly: MessageAssembly,
): Promise<JsonObject> {
  const blocks = new Map<number, OpenBlock>();
  let message: JsonObject = {};
  let usage: JsonObject = {};
  let isStopped = false;
  try {
    for await (const event of events) {
      switch (textAt(event, 'type')) {
        case 'message_start':
          message = objectAt(event, 'message');
          usage = objectAt(message, 'usage');
          assembly.onUsage(usage);
          break;
        case 'content_block_start':
          openBlock(blocks, event, assembly);
          break;
        case 'content_block_delta':
          addDelta(blocks, event, assembly);
          break;
        case 'message_delta':
          message = { ...message, ...objectAt(event, 'delta') };
          usage = { ...usage, ...withoutNulls(objectAt(event, 'usage')) };
          assembly.onUsage(usage);
          break;
        case 'message_stop':
          isStopped = true;
          assembly.onEnd();
      }
    }
  } catch (thrown) {
    // What happens to the connection after the end marker is no matter.
    if (!isStopped) throw thrown;
  }
  if (!isStopped || textAt(message, 'stop_reason') === '') {
    throw unfinishedAnswer(assembly.provider, 'message_stop');
  }
  const content = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => closeBlock(block));
  return { ...message, usage, content };
}

function openBlock(blocks: Map<number, OpenBlock>, event: JsonObject, assembly: MessageAssembly): void {
  const start = objectAt(event, 'content_block');
  const text = textAt(start, 'text') + textAt(start, 'thinking');
  blocks.set(indexOf(event, assembly), { start, text, signature: textAt(start, 'signature'), json: '' });
  if (start['type'] === 'text' && text !== '') assembly.onText(text);
}

function addDelta(blocks: Map<number, OpenBlock>, event: JsonObject, assembly: MessageAssembly): void {
  const block = blocks.get(indexOf(event, assembly));
  if (block === undefined) throw malformedAnswer(assembly.provider, 'a delta for a block that was not begun');
  const delta = objectAt(event, 'delta');
  const text = textAt(delta, 'text');
  const json = textAt(delta, 'partial_json');
  block.text += text + textAt(delta, 'thinking');
  block.signature += textAt(delta, 'signature');
  block.json += json;
  const said = assembly.isTextByTool ? text + json : text;
  if (said !== '') assembly.onText(said);
}

function closeBlock({ start, text, signature, json }: OpenBlock): JsonObject {
  switch (textAt(start, 'type')) {
    case 'text':
      return { ...start, text };
    case 'thinking':
      return { ...start, thinking: text, signature };
    case 'tool_use':
      return { ...start, input_json: json };
    default:
      return start;
  }
}

function indexOf(event: JsonObject, { provider }: MessageAssembly): number {
  const index = event['index'];
  if (typeof index === 'number') return index;
  throw malformedAnswer(provider, 'a block without its index');
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
