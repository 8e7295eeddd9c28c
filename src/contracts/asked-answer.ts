import { isJsonObject, type Json } from '../kernel/json.ts';
import { type JsonSchema, schemaIssues } from './schema.ts';

const SOME_TEXT: JsonSchema = { type: 'string', minLength: 1 };

/**
 * What the answer to a question of an interactive tool must be: one of the `choices` among its arguments, what the
 * `schema` among them says, what the tool gives at all, or else a text.
 */
export function answerSchema(args: Json, output?: JsonSchema): JsonSchema {
  const { choices, schema } = isJsonObject(args) ? args : {};
  if (Array.isArray(choices)) return { type: 'string', enum: choices };
  if (isJsonObject(schema)) return schema;
  return output ?? SOME_TEXT;
}

/** Why nothing can be asked for by a schema; null where it can. */
export function askedSchemaFault(schema: JsonSchema): string | null {
  try {
    schemaIssues(schema, null);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * What a person means by a text: the text itself where only texts are asked for, else the JSON that it is, where that
 * meets the schema or the text does not.
 */
export function readAnswerText(schema: JsonSchema, text: string): Json {
  if (typeof schema === 'object' && schema['type'] === 'string') return text;
  const value = parse(text);
  if (value === undefined) return text;
  return schemaIssues(schema, value).length > 0 && schemaIssues(schema, text).length === 0 ? text : value;
}

/** A text as an answer, and in which ways it is none. */
export function parseAnswer(
  schema: JsonSchema,
  text: string,
): { readonly value: Json; readonly problems: readonly string[] } {
  const value = readAnswerText(schema, text);
  const problems = schemaIssues(schema, value).map(({ pointer, message }) =>
    pointer === '' ? message : `${pointer}: ${message}`,
  );
  return { value, problems };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
