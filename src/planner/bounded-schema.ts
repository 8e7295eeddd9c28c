/*
 * Schemas of argument values for models that have to be led: texts, lists and objects are bounded, objects are closed,
 * and what can be left out is left out. Whatever may be any value is a reference to a node before it, where there is
 * one.
 */
import type { JsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { findMisfit } from '../dag/schema-fit.ts';
import { typesOf } from '../dag/schema-step.ts';
import { atPointer, isJsonObject, type Json, type JsonObject, setOwn } from '../kernel/json.ts';

const LONGEST_TEXT = 80;
const LONGEST_LIST = 6;
const MOST_CHOICES = 100;
const MAX_DEPTH = 4;

/** What keywords of numbers a grammar can hold a model to. */
const NUMBER_KEYWORDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/** What the arguments of one node may refer to: nodes before it, and the tools that those may call. */
export interface Places {
  readonly earlier: readonly string[];
  readonly givers: readonly ToolSpec[];
  /** What texts are chosen from; where there is none they are free. */
  readonly texts: readonly string[];
}

/** A reference to one of these nodes. */
export function referenceTo(ids: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: { $ref: { type: 'string', enum: ids } },
    required: ['$ref'],
    additionalProperties: false,
  };
}

/** The bounded form of a tool's input schema at a place of a plan. */
export class BoundedSchema {
  readonly #root: JsonSchema;
  readonly #places: Places;

  constructor(root: JsonSchema, places: Places) {
    this.#root = root;
    this.#places = places;
  }

  /** The required arguments as a closed object; `member` may give one of them a schema of its own. */
  args(member: (schema: Json) => JsonObject | null = () => null): JsonObject {
    return this.#object(this.#follow(this.#root), 0, member);
  }

  #value(schema: Json, depth: number): JsonObject {
    const followed = this.#follow(schema);
    const literal = depth > MAX_DEPTH || !isJsonObject(followed) ? null : this.#literal(followed, depth);
    const reference = this.#reference(followed);
    if (literal === null) return reference ?? this.#text({});
    return reference === null ? literal : { anyOf: [literal, reference] };
  }

  /** Values that are written out; null where any value would do, or where that cannot be bounded. */
  #literal(schema: JsonObject, depth: number): JsonObject | null {
    if (schema['const'] !== undefined) return { const: schema['const'] };
    if (Array.isArray(schema['enum'])) return { enum: schema['enum'].slice(0, MOST_CHOICES) as Json };
    const alternatives = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(alternatives)) {
      const branches = (alternatives as readonly Json[]).flatMap((branch) => {
        const followed = this.#follow(branch);
        const literal = isJsonObject(followed) ? this.#literal(followed, depth + 1) : null;
        return literal === null ? [] : [literal];
      });
      return branches.length === 0 ? null : { anyOf: branches };
    }
    const type = typesOf(schema)?.[0] ?? '';
    switch (type) {
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number':
        return { type, ...pick(schema, NUMBER_KEYWORDS) };
      case 'boolean':
      case 'null':
        return { type };
      case 'array':
        return this.#list(schema, depth);
      default:
        return isJsonObject(schema['properties']) ? this.#object(schema, depth, () => null) : null;
    }
  }

  #text(schema: JsonObject): JsonObject {
    const least = countAt(schema, 'minLength') ?? 1;
    const most = Math.min(countAt(schema, 'maxLength') ?? LONGEST_TEXT, Math.max(LONGEST_TEXT, least));
    const { texts } = this.#places;
    return texts.length > 0 ? { enum: texts } : { type: 'string', minLength: least, maxLength: most };
  }

  /** A list of any values takes results alone, for which there must be nodes to refer to. */
  #list(schema: JsonObject, depth: number): JsonObject {
    const items = schema['items'] ?? true;
    const least = countAt(schema, 'minItems') ?? 0;
    if (isOpen(this.#follow(items))) {
      const { earlier } = this.#places;
      if (earlier.length === 0) return { type: 'array', maxItems: 0 };
      const most = Math.min(earlier.length, LONGEST_LIST);
      return {
        type: 'array',
        items: referenceTo(earlier),
        minItems: Math.max(1, least),
        maxItems: Math.max(most, least),
      };
    }
    const most = Math.min(countAt(schema, 'maxItems') ?? LONGEST_LIST, Math.max(LONGEST_LIST, least));
    return { type: 'array', items: this.#value(items, depth + 1), minItems: least, maxItems: most };
  }

  #object(schema: Json, depth: number, member: (schema: Json) => JsonObject | null): JsonObject {
    const fields = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
    const wanted = isJsonObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
    const properties: Record<string, Json> = {};
    for (const name of wanted as readonly Json[]) {
      if (typeof name !== 'string') continue;
      const field = Object.hasOwn(fields, name) ? (fields[name] as Json) : true;
      setOwn(properties, name, member(this.#follow(field)) ?? this.#value(field, depth + 1));
    }
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  }

  /** A reference, where any tool may give what is wanted. */
  #reference(wanted: Json): JsonObject | null {
    const { earlier, givers } = this.#places;
    const schema = wanted as JsonSchema;
    const isGiven = givers.some(({ output }) => findMisfit(output ?? true, schema) === null);
    return earlier.length > 0 && isGiven ? referenceTo(earlier) : null;
  }

  #follow(schema: Json): Json {
    let current = schema;
    for (let steps = 0; steps < 16 && isJsonObject(current) && typeof current['$ref'] === 'string'; steps++) {
      const reference = current['$ref'];
      current = reference.startsWith('#') ? (atPointer(this.#root, reference.slice(1)) ?? true) : true;
    }
    return current;
  }
}

/** Whether a list of that schema takes any values, and so the results of any nodes. */
export function isOpenList(schema: Json): boolean {
  return isJsonObject(schema) && schema['type'] === 'array' && isOpen(schema['items'] ?? true);
}

function isOpen(schema: Json): boolean {
  if (!isJsonObject(schema)) return schema === true;
  return Object.keys(schema).every((key) => key === 'description' || key === 'title');
}

function countAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}
