import { isJsonObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import type { JsonSchema } from '../../src/contracts/schema.ts';

/** A value that a bounded JSON Schema admits, each choice in it by the draw of a number below a bound. */
export function sampleSchema(root: JsonSchema, below: (bound: number) => number): Json {
  if (!isJsonObject(root)) throw new Error('no schema to sample');
  return sample(root, root, below);
}

function sample(root: JsonObject, schema: JsonObject, below: (bound: number) => number): Json {
  const among = (choices: readonly Json[]): Json => choices[below(choices.length)] ?? null;
  const inner = (part: Json | undefined): Json => sample(root, part as JsonObject, below);
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return inner((root['$defs'] as JsonObject)[reference.replace('#/$defs/', '')]);
  }
  if (Array.isArray(schema['anyOf'])) return inner(among(schema['anyOf'] as readonly Json[]));
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return among(schema['enum'] as readonly Json[]);
  const least = Number(schema['minItems'] ?? schema['minLength'] ?? schema['minimum'] ?? 0);
  const most = Number(schema['maxItems'] ?? schema['maxLength'] ?? schema['maximum'] ?? least);
  const count = least + below(most - least + 1);
  switch (schema['type'] as string) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema['properties'] as JsonObject).map(([key, part]) => [key, inner(part)]),
      );
    case 'array': {
      const places = (schema['prefixItems'] ?? []) as readonly Json[];
      return Array.from({ length: count }, (_, index) => inner(places[index] ?? schema['items']));
    }
    case 'string':
      return 'x'.repeat(count);
    case 'integer':
    case 'number':
      return count;
    case 'boolean':
      return below(2) === 1;
    default:
      throw new Error(`not bounded: ${JSON.stringify(schema)}`);
  }
}
