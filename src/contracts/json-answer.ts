import type { Json } from '../kernel/json.ts';
import { toPlainJson } from '../kernel/json.ts';
import { extractJson } from '../kernel/json-text.ts';
import { type JsonSchema, type SchemaIssue, schemaIssues } from './schema.ts';

/** The JSON of a model's answer, which meets the schema asked for; or every way in which it does not. */
export type JsonAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/**
 * Reads the answer to a request that asked for JSON of a schema: bare, fenced or within prose. Nothing is guessed:
 * two documents, a document cut off or a key that stands twice are issues. Never throws.
 */
export function readJsonAnswer(text: string, schema: JsonSchema): JsonAnswer {
  try {
    return readAnswer(text, schema);
  } catch (error) {
    return refuse(error instanceof RangeError ? 'the JSON is nested too deeply' : String(error));
  }
}

function readAnswer(text: string, schema: JsonSchema): JsonAnswer {
  const scalar = parseScalar(text);
  const extraction =
    scalar === undefined
      ? extractJson(text, (value) => schemaIssues(schema, value).length === 0)
      : { value: scalar, duplicateKeys: [] };
  if ('problem' in extraction) return refuse(extraction.message);
  const issues = [
    ...extraction.duplicateKeys.map((pointer) => ({ pointer, message: 'stands twice' })),
    ...schemaIssues(schema, extraction.value),
  ];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: toPlainJson(extraction.value) };
}

function refuse(message: string): JsonAnswer {
  return { ok: false, issues: [{ pointer: '', message }] };
}

/** The value of a text that is one JSON number, string, boolean or null; undefined where it is anything else. */
function parseScalar(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The issues as one line each, such as `/score: expected number`. */
export function describeIssues(issues: readonly SchemaIssue[]): string[] {
  return issues.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`));
}
