import type { JsonSchema } from '../../contracts/schema.ts';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../../kernel/json.ts';
import { mergeObjects } from './merge-objects.ts';

const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const SCHEMA_LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
]);

/**
 * The arguments of a tool as every API takes them: an object at the root without combinators, and each array with its
 * items. It accepts whatever the tool accepts. Null where the tool takes no object.
 */
export function adaptToolSchema(schema: JsonSchema): JsonObject | null {
  const object = mergeObjects(schema, schema);
  return object === null ? null : (fillItems(object) as JsonObject);
}

/** The same schema in which each array says what it holds. */
export function fillItems(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) setOwn(result, key, fillField(key, value));
  const isArray =
    schema['type'] === 'array' || (Array.isArray(schema['type']) && schema['type'].includes('array'));
  if (isArray && schema['items'] === undefined && schema['prefixItems'] === undefined) result['items'] = {};
  return result;
}

function fillField(key: string, value: Json): Json {
  if (SCHEMAS.has(key)) return fillItems(value);
  if (SCHEMA_LISTS.has(key) && Array.isArray(value)) return (value as readonly Json[]).map(fillItems);
  if (!SCHEMA_MAPS.has(key) || !isJsonObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(value)) setOwn(result, name, fillItems(schema));
  return result;
}
