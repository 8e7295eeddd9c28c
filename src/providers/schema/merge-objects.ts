import { isJsonObject, type Json, type JsonObject, setOwn } from '../../kernel/json.ts';
import type { JsonSchema } from '../../contracts/schema.ts';
import { alternativesOf, followReferences } from './local-references.ts';

const COMBINATORS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  '$ref',
]);

/**
 * The one object schema that stands for a schema with combinators or a reference at its top: it accepts whatever the
 * original accepts, and perhaps more (arguments are checked against the original later). Null where some value that
 * is no object is meant, or the schema cannot be read.
 */
export function mergeObjects(root: JsonSchema, schema: Json | undefined, depth = 0): JsonObject | null {
  const followed = followReferences(root, schema);
  if (followed === true) return { type: 'object', properties: {} };
  if (followed === undefined || followed === false || depth > 8) return null;
  if (!mayBeObject(followed)) return null;
  const parts = Array.isArray(followed['allOf']) ? (followed['allOf'] as readonly Json[]) : [];
  const branches = alternativesOf(followed);
  const all = parts.map((part) => mergeObjects(root, part, depth + 1));
  const any = branches?.map((branch) => mergeObjects(root, branch, depth + 1));
  if (all.includes(null) || any?.includes(null) === true) return null;
  const own = withoutCombinators(followed);
  return [...(all as JsonObject[]), ...(any === undefined ? [] : [joinBranches(any as JsonObject[])])].reduce(
    addConjunct,
    own,
  );
}

function mayBeObject(schema: JsonObject): boolean {
  const type = schema['type'];
  if (type === undefined) return schema['enum'] === undefined && schema['const'] === undefined;
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function withoutCombinators(schema: JsonObject): JsonObject {
  const rest = Object.entries(schema).filter(([key]) => !COMBINATORS.has(key));
  return { ...Object.fromEntries(rest), type: 'object', properties: propertiesOf(schema) };
}

/** Either of them holds: a property may have the schema of any branch, and is required where all require it. */
function joinBranches(branches: readonly JsonObject[]): JsonObject {
  const alternatives = new Map<string, Json[]>();
  for (const branch of branches) {
    for (const [key, schema] of Object.entries(propertiesOf(branch))) {
      const known = alternatives.get(key) ?? [];
      if (!known.some((other) => JSON.stringify(other) === JSON.stringify(schema))) known.push(schema);
      alternatives.set(key, known);
    }
  }
  const properties: Record<string, Json> = {};
  for (const [key, schemas] of alternatives) {
    setOwn(properties, key, schemas.length === 1 ? (schemas[0] as Json) : { anyOf: schemas });
  }
  const required = [...alternatives.keys()].filter((key) =>
    branches.every((branch) => requiredOf(branch).includes(key)),
  );
  const isClosed = branches.every((branch) => branch['additionalProperties'] === false);
  return { type: 'object', properties, required, ...(isClosed ? { additionalProperties: false } : {}) };
}

/** Both hold: properties of both, and what either requires. A closed part would shut out the other's properties. */
function addConjunct(left: JsonObject, right: JsonObject): JsonObject {
  const properties: Record<string, Json> = { ...propertiesOf(left) };
  for (const [key, schema] of Object.entries(propertiesOf(right))) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    setOwn(properties, key, known === undefined ? schema : { allOf: [known, schema] });
  }
  const required = [...new Set([...requiredOf(left), ...requiredOf(right)])];
  const { additionalProperties, ...rest } = left;
  const isClosed = additionalProperties === false || right['additionalProperties'] === false;
  return { ...rest, properties, required, ...(isClosed ? { additionalProperties: false } : {}) };
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

function requiredOf(schema: JsonObject): readonly Json[] {
  return Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
}
