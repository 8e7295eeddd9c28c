import type { JsonSchema } from '../../contracts/schema.ts';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../../kernel/json.ts';
import { alternativesOf, followReferences } from './local-references.ts';

/** How an answer was asked for, so that it can be given back as it was wanted. */
export interface AnswerWrap {
  /** The schema that the caller gave. */
  readonly schema: JsonSchema;
  readonly isWrapped: boolean;
  /** Whether optional properties had to be nullable. */
  readonly hasAddedNulls: boolean;
}

/**
 * The text of a structured answer in the form of the caller's own schema: taken out of the object that it was wrapped
 * in, without the nulls that stand for optional properties left out. A text that is no JSON is given back as it is.
 */
export function restoreAnswer(text: string, wrap: AnswerWrap | null): string {
  if (wrap === null || (!wrap.isWrapped && !wrap.hasAddedNulls)) return text;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return text;
  }
  if (wrap.isWrapped) {
    if (!isJsonObject(value) || value['value'] === undefined) return text;
    value = value['value'];
  }
  return JSON.stringify(wrap.hasAddedNulls ? dropNulls(wrap.schema, wrap.schema, value) : value);
}

function dropNulls(root: JsonSchema, schema: Json | undefined, value: Json): Json {
  const followed = followReferences(root, schema);
  if (!isJsonObject(followed) || typeof value !== 'object' || value === null) return value;
  const branches = alternativesOf(followed);
  if (branches !== undefined) {
    const branch = branches.find((candidate) => fits(root, candidate, value));
    return branch === undefined ? value : dropNulls(root, branch, value);
  }
  if (Array.isArray(followed['allOf'])) {
    return (followed['allOf'] as readonly Json[]).reduce<Json>(
      (rest, part) => dropNulls(root, part, rest),
      value,
    );
  }
  if (Array.isArray(value)) {
    const items = followed['items'];
    return (value as readonly Json[]).map((item) => dropNulls(root, items, item));
  }
  return dropFromObject(root, followed, value as JsonObject);
}

function dropFromObject(root: JsonSchema, schema: JsonObject, value: JsonObject): JsonObject {
  const fields = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const isAdded =
      item === null && field !== undefined && !required.includes(key) && !admitsNull(root, field);
    if (!isAdded) setOwn(result, key, dropNulls(root, field, item));
  }
  return result;
}

function admitsNull(root: JsonSchema, schema: Json): boolean {
  const followed = followReferences(root, schema);
  if (!isJsonObject(followed)) return followed === true;
  const branches = alternativesOf(followed);
  if (branches !== undefined) return branches.some((branch) => admitsNull(root, branch));
  if (followed['const'] !== undefined) return followed['const'] === null;
  if (Array.isArray(followed['enum'])) return followed['enum'].includes(null);
  const type = followed['type'];
  return type === undefined ? followed['properties'] === undefined : [type].flat().includes('null');
}

/** Whether a branch is meant: its type fits, and so do the properties that it fixes. */
function fits(root: JsonSchema, branch: Json, value: Json): boolean {
  const followed = followReferences(root, branch);
  if (!isJsonObject(followed)) return false;
  const isList = Array.isArray(value);
  if (![followed['type'] ?? 'object'].flat().includes(isList ? 'array' : 'object')) return false;
  if (isList || !isJsonObject(value)) return isList;
  const fields = isJsonObject(followed['properties']) ? followed['properties'] : {};
  if (Object.keys(value).some((key) => !Object.hasOwn(fields, key))) return false;
  return Object.entries(fields).every(([key, field]) => {
    if (!isJsonObject(field) || value[key] === undefined) return true;
    if (field['const'] !== undefined) return field['const'] === value[key];
    return !Array.isArray(field['enum']) || field['enum'].includes(value[key]) || value[key] === null;
  });
}
