import type { JsonSchema } from '../contracts/schema.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';

/** Where a step leads: to a schema, to what the schema says nothing of, or to what cannot be there. */
export type SchemaStep = JsonSchema | 'unknown' | 'missing';

const COMBINATORS = [
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'if',
  'not',
  'patternProperties',
  '$dynamicRef',
] as const;

/**
 * The schema of a member or item. An object that declares properties is closed unless it says `additionalProperties`
 * explicitly; so what it does not declare is missing. Where a combinator might declare it, it is unknown.
 */
export function stepInto(schema: JsonSchema, step: string): SchemaStep {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'missing';
  const properties = schema['properties'];
  if (isJsonObject(properties) && Object.hasOwn(properties, step)) return toSchema(properties[step]);
  const isIndex = /^(0|[1-9]\d*)$/.test(step);
  if (isIndex && (schema['items'] !== undefined || schema['prefixItems'] !== undefined))
    return itemSchema(schema, Number(step));
  if (COMBINATORS.some((keyword) => Object.hasOwn(schema, keyword))) return 'unknown';
  const types = typesOf(schema);
  if (types === null) return properties === undefined ? 'unknown' : undeclared(schema);
  if (types.includes('object')) return undeclared(schema);
  if (types.includes('array')) return isIndex ? 'unknown' : 'missing';
  return 'missing';
}

/** The schema that a JSON pointer's steps lead to. */
export function walkSchema(schema: JsonSchema, steps: readonly string[]): SchemaStep {
  let current: SchemaStep = schema;
  for (const step of steps) {
    if (current === 'unknown' || current === 'missing') return current;
    current = stepInto(current, step);
  }
  return current;
}

/** The JSON types that a schema allows; null where it does not say. */
export function typesOf(schema: JsonSchema): readonly string[] | null {
  if (typeof schema === 'boolean') return null;
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type as readonly string[];
  const values = valuesOf(schema);
  return values === null ? null : [...new Set(values.map(typeOf))];
}

/** The values that `const` or `enum` allow; null where neither is there. */
export function valuesOf(schema: JsonSchema): readonly Json[] | null {
  if (typeof schema === 'boolean') return null;
  if (schema['const'] !== undefined) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : null;
}

/** The properties that a schema declares. */
export function propertyNames(schema: JsonSchema): readonly string[] {
  return isJsonObject(schema) && isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
}

function undeclared(schema: { readonly [key: string]: Json }): SchemaStep {
  const additional = schema['additionalProperties'];
  if (additional === undefined) return schema['properties'] === undefined ? 'unknown' : 'missing';
  return additional === true ? 'unknown' : toSchema(additional);
}

function itemSchema(schema: { readonly [key: string]: Json }, index: number): SchemaStep {
  const prefix = schema['prefixItems'];
  if (Array.isArray(prefix) && index < prefix.length) return toSchema(prefix[index] as Json);
  return toSchema(schema['items']);
}

function toSchema(value: Json | undefined): SchemaStep {
  if (value === false) return 'missing';
  return isJsonObject(value) ? value : 'unknown';
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
