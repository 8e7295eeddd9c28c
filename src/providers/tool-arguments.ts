import type { ToolCall } from '../contracts/model.ts';
import { findDuplicateKeys } from '../kernel/duplicate-keys.ts';
import { cutText } from '../kernel/cut-text.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from '../kernel/json.ts';
import { malformedAnswer } from './http/api-error.ts';

/** A tool call as it came over the wire: its arguments are still text. */
export interface RawToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/**
 * The tool calls of a finished answer under the names of the caller's tools; throws `model_malformed` unless the
 * arguments of each are one JSON object (none at all is the empty one). Nothing is repaired and nothing guessed: of
 * two objects neither is taken. An agent is told what is wrong with its calls instead: for one that text is kept as it is.
 */
export function readToolCalls(
  calls: readonly RawToolCall[],
  toolOfWireName: ReadonlyMap<string, string>,
  provider: string,
  isOfAgent = false,
): readonly ToolCall[] {
  const ids = new Set(calls.map(({ id }) => id));
  if (ids.size !== calls.length || ids.has('')) {
    throw malformedAnswer(provider, 'tool calls without an id of their own');
  }
  return calls.map(({ id, name, args }) => ({
    id,
    name: toolOfWireName.get(name) ?? name,
    args: isOfAgent ? parseOrKeep(args, name, provider) : parseArguments(args, name, provider),
  }));
}

function parseOrKeep(text: string, tool: string, provider: string): Json {
  try {
    return parseArguments(text, tool, provider);
  } catch {
    return text;
  }
}

function parseArguments(text: string, tool: string, provider: string): JsonObject {
  if (text.trim() === '') return {};
  const fault = (what: string): Error =>
    malformedAnswer(provider, `the arguments of a call of ${tool} are ${what}`, {
      details: { tool, arguments: cutText(text, 500) },
    });
  let value: Json;
  try {
    value = toPlainJson(JSON.parse(text));
  } catch {
    throw fault('not one JSON object');
  }
  if (!isJsonObject(value)) throw fault('no object');
  const [twice] = findDuplicateKeys(text);
  if (twice !== undefined) throw fault(`ambiguous: ${twice} stands twice`);
  return value;
}
