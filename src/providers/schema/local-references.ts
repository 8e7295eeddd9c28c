import { atPointer, isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { JsonSchema } from '../../contracts/schema.ts';

/** The schema that a local `$ref` (`#/$defs/city`) names; undefined where it names none of this document. */
export function resolveReference(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (!reference.startsWith('#') || typeof root === 'boolean') return undefined;
  const target = atPointer(root, decodeURIComponent(reference.slice(1)));
  return typeof target === 'boolean' || isJsonObject(target) ? target : undefined;
}

/** A schema with the references at its top followed; undefined where they lead nowhere or in a circle. */
export function followReferences(root: JsonSchema, schema: Json | undefined): JsonSchema | undefined {
  let current = schema;
  for (let depth = 0; depth < 16; depth++) {
    if (typeof current === 'boolean') return current;
    if (!isJsonObject(current)) return undefined;
    const reference: Json | undefined = current['$ref'];
    if (typeof reference !== 'string') return current;
    current = resolveReference(root, reference);
  }
  return undefined;
}

/** The alternatives of a schema, by `anyOf` or `oneOf`; undefined where it has none. */
export function alternativesOf(schema: JsonObject): readonly Json[] | undefined {
  const list = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(list) ? (list as readonly Json[]) : undefined;
}
