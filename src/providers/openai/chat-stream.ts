import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { unfinishedAnswer } from '../http/api-error.ts';
import { objectAt, objectsAt, textAt } from '../http/json-fields.ts';

/** What an assembly reports on its way. */
export interface CompletionAssembly {
  readonly provider: string;
  readonly onText: (text: string) => void;
  readonly onUsage: (usage: JsonObject) => void;
  /** The end marker has come. */
  readonly onEnd: () => void;
}

interface Draft {
  head: JsonObject;
  choice: JsonObject;
  usage: JsonObject;
  content: string;
  refusal: string;
  readonly calls: { key: string; id: string; name: string; args: string }[];
  readonly thoughts: Map<string, string>;
  readonly details: JsonObject[];
}

/**
 * The completion that a stream of chunks amounts to, as if it had not been streamed. Throws `model_unreachable` unless
 * a `finish_reason` has come; only the usage may be missing after it.
 */
export async function assembleCompletion(
  chunks: AsyncIterable<JsonObject>,
  assembly: CompletionAssembly,
): Promise<JsonObject> {
  const draft: Draft = {
    head: {},
    choice: {},
    usage: {},
    content: '',
    refusal: '',
    calls: [],
    thoughts: new Map(),
    details: [],
  };
  try {
    for await (const chunk of chunks) addChunk(draft, chunk, assembly);
  } catch (thrown) {
    // The answer is whole: what happens to the connection after it is no matter.
    if (!isFinished(draft)) throw thrown;
  }
  if (!isFinished(draft)) throw unfinishedAnswer(assembly.provider, 'finish_reason');
  return toCompletion(draft);
}

function isFinished({ choice }: Draft): boolean {
  return textAt(choice, 'finish_reason') !== '';
}

function addChunk(draft: Draft, chunk: JsonObject, assembly: CompletionAssembly): void {
  draft.head = { ...draft.head, ...chunk };
  if (isJsonObject(chunk['usage'])) {
    draft.usage = objectAt(chunk, 'usage');
    assembly.onUsage(draft.usage);
  }
  const [choice] = objectsAt(chunk, 'choices');
  if (choice === undefined) return;
  const delta = objectAt(choice, 'delta');
  const text = textAt(delta, 'content');
  draft.content += text;
  draft.refusal += textAt(delta, 'refusal');
  for (const field of ['reasoning_content', 'reasoning']) {
    const thought = textAt(delta, field);
    if (thought !== '') draft.thoughts.set(field, (draft.thoughts.get(field) ?? '') + thought);
  }
  for (const detail of objectsAt(delta, 'reasoning_details')) addDetail(draft.details, detail);
  for (const call of objectsAt(delta, 'tool_calls')) addCall(draft, call);
  if (text !== '') assembly.onText(text);
  if (textAt(choice, 'finish_reason') !== '') {
    draft.choice = choice;
    assembly.onEnd();
  }
}

/** Pieces of a call share its index. Servers that give every call the same index give each an id of its own. */
function addCall({ calls }: Draft, piece: JsonObject): void {
  const id = textAt(piece, 'id');
  const key = JSON.stringify(piece['index'] ?? null);
  const made = objectAt(piece, 'function');
  const last = calls.findLast((call) => call.key === key);
  if (last === undefined || (id !== '' && last.id !== '' && id !== last.id)) {
    calls.push({ key, id, name: textAt(made, 'name'), args: textAt(made, 'arguments') });
    return;
  }
  if (last.id === '') last.id = id;
  if (last.name === '') last.name = textAt(made, 'name');
  last.args += textAt(made, 'arguments');
}

/** Pieces of one detail of what the model thought share index and type; their texts follow one another. */
function addDetail(details: JsonObject[], piece: JsonObject): void {
  const last = details.at(-1);
  if (last === undefined || last['index'] !== piece['index'] || last['type'] !== piece['type']) {
    details.push(piece);
    return;
  }
  const joined: Record<string, Json> = { ...last };
  for (const [key, value] of Object.entries(piece)) {
    const isText = key === 'text' || key === 'summary' || key === 'data';
    if (isText) joined[key] = textAt(last, key) + textAt(piece, key);
    else if (value !== null) joined[key] = value;
  }
  details[details.length - 1] = joined;
}

function toCompletion({
  head,
  choice,
  usage,
  content,
  refusal,
  calls,
  thoughts,
  details,
}: Draft): JsonObject {
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return {
    ...head,
    usage,
    choices: [
      {
        ...choice,
        message: {
          role: 'assistant',
          content,
          ...(refusal === '' ? {} : { refusal }),
          ...Object.fromEntries(thoughts),
          ...(details.length === 0 ? {} : { reasoning_details: details }),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
      },
    ],
  };
}
