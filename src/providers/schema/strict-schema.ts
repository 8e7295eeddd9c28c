/*
 * A JSON Schema as an API enforces it. The result never shuts out a value that the original wants; where it cannot say
 * what the original says it says less, and the rest is told in descriptions (answers are checked against the original
 * anyway). A schema that needs free-form values (a map, an object with open properties, any value) has no such form.
 */
import type { JsonSchema } from '../../contracts/schema.ts';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../../kernel/json.ts';
import { alternativesOf, followReferences, resolveReference } from './local-references.ts';
import { mergeObjects } from './merge-objects.ts';
import { STRICT_FORMATS, type StrictRules } from './strict-rules.ts';

/** A schema as an API enforces it; the answer is an object that holds the value at `value` where it is wrapped. */
export interface StrictSchema {
  readonly schema: JsonObject;
  readonly isWrapped: boolean;
}

/** Told to the model in a description where it is not enforced. */
const TELLABLE: ReadonlySet<string> = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'pattern', 'format', 'default'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);

const ALLOWED_BESIDE_ALL_OF: ReadonlySet<string> = new Set(['allOf', 'description', 'title']);

class Inexpressible extends Error {}

/** The enforced form of a schema; null where the API has none for it. */
export function strictSchema(schema: JsonSchema, rules: StrictRules): StrictSchema | null {
  try {
    return new Converter(schema, rules).convertRoot();
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return null;
    throw thrown;
  }
}

class Converter {
  readonly #root: JsonSchema;
  readonly #rules: StrictRules;
  readonly #definitions = new Map<string, { readonly name: string; schema: JsonObject | null }>();
  #properties = 0;
  #enumValues = 0;
  #optional = 0;
  #unions = 0;

  constructor(root: JsonSchema, rules: StrictRules) {
    this.#root = root;
    this.#rules = rules;
  }

  convertRoot(): StrictSchema {
    const converted = this.#convert(followReferences(this.#root, this.#root), 1);
    const isWrapped = converted['type'] !== 'object';
    const schema = isWrapped ? wrap(converted) : converted;
    this.#checkLimits();
    const definitions: Record<string, Json> = {};
    for (const { name, schema: definition } of this.#definitions.values()) definitions[name] = definition;
    return {
      schema: this.#definitions.size === 0 ? schema : { ...schema, $defs: definitions },
      isWrapped,
    };
  }

  #checkLimits(): void {
    const { maxProperties, maxEnumValues, maxOptional, maxUnions } = this.#rules;
    if (this.#properties > maxProperties || this.#enumValues > maxEnumValues) throw new Inexpressible();
    if (this.#optional > maxOptional || this.#unions > maxUnions) throw new Inexpressible();
  }

  #convert(schema: Json | undefined, depth: number): JsonObject {
    if (!isJsonObject(schema) || depth > this.#rules.maxDepth) throw new Inexpressible();
    const reference = schema['$ref'];
    if (typeof reference === 'string') return this.#refer(reference, depth);
    const alternatives = alternativesOf(schema);
    if (alternatives !== undefined) {
      this.#unions++;
      return describe(schema, { anyOf: alternatives.map((branch) => this.#convert(branch, depth)) }, []);
    }
    if (Array.isArray(schema['allOf']))
      return this.#convertAll(schema, schema['allOf'] as readonly Json[], depth);
    if (schema['const'] !== undefined) return this.#convertEnum(schema, [schema['const']]);
    if (Array.isArray(schema['enum'])) return this.#convertEnum(schema, schema['enum'] as readonly Json[]);
    return this.#convertTyped(schema, depth);
  }

  #refer(reference: string, depth: number): JsonObject {
    const known = this.#definitions.get(reference);
    if (known !== undefined) {
      if (known.schema === null && !this.#rules.hasRecursion) throw new Inexpressible();
      return { $ref: `#/$defs/${known.name}` };
    }
    const definition = { name: `d${this.#definitions.size + 1}`, schema: null as JsonObject | null };
    this.#definitions.set(reference, definition);
    definition.schema = this.#convert(resolveReference(this.#root, reference), depth);
    return { $ref: `#/$defs/${definition.name}` };
  }

  #convertAll(schema: JsonObject, parts: readonly Json[], depth: number): JsonObject {
    const isAlone = parts.length === 1 && Object.keys(schema).every((key) => ALLOWED_BESIDE_ALL_OF.has(key));
    if (isAlone) return describe(schema, this.#convert(parts[0], depth), []);
    const merged = mergeObjects(this.#root, schema);
    if (merged === null || merged['allOf'] !== undefined) throw new Inexpressible();
    return this.#convertTyped(merged, depth);
  }

  #convertEnum(schema: JsonObject, values: readonly Json[]): JsonObject {
    if (values.some((value) => typeof value === 'object' && value !== null)) throw new Inexpressible();
    this.#enumValues += values.length;
    const types = [...new Set(values.map(typeOf))];
    return describe(schema, { type: types.length === 1 ? (types[0] as string) : types, enum: values }, []);
  }

  #convertTyped(schema: JsonObject, depth: number): JsonObject {
    const type = schema['type'] ?? (isJsonObject(schema['properties']) ? 'object' : undefined);
    if (Array.isArray(type)) {
      const types = type as readonly Json[];
      if (!types.includes('object') && !types.includes('array')) return this.#convertScalar(schema, types);
      this.#unions++;
      return { anyOf: types.map((one) => this.#convertTyped({ ...schema, type: one }, depth)) };
    }
    if (type === 'object') return this.#convertObject(schema, depth);
    if (type === 'array') return this.#convertArray(schema, depth);
    if (type === undefined) throw new Inexpressible();
    return this.#convertScalar(schema, type);
  }

  #convertScalar(schema: JsonObject, type: Json): JsonObject {
    return this.#constrain(schema, { type });
  }

  #convertArray(schema: JsonObject, depth: number): JsonObject {
    const places = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as readonly Json[]) : [];
    const rest = schema['items'];
    const kinds = [...places, ...(rest === undefined || rest === false ? [] : [rest])];
    if (kinds.length === 0) throw new Inexpressible();
    if (kinds.length > 1) this.#unions++;
    const items = kinds.map((kind) => this.#convert(kind, depth + 1));
    const isClosed = places.length > 0 && rest === false;
    return this.#constrain(isClosed ? { maxItems: places.length, ...schema } : schema, {
      type: 'array',
      items: items.length === 1 ? (items[0] as JsonObject) : { anyOf: items },
    });
  }

  #convertObject(schema: JsonObject, depth: number): JsonObject {
    const fields = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const open = schema['additionalProperties'] ?? schema['patternProperties'];
    const isFree = open === undefined && Object.keys(fields).length === 0;
    if ((open !== undefined && open !== false) || isFree || schema['patternProperties'] !== undefined) {
      throw new Inexpressible();
    }
    const wanted = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
    if (wanted.some((key) => typeof key !== 'string' || !Object.hasOwn(fields, key)))
      throw new Inexpressible();
    const properties: Record<string, Json> = {};
    for (const [key, field] of Object.entries(fields)) {
      this.#properties++;
      const isOptional = !wanted.includes(key);
      if (isOptional) this.#optional++;
      const converted = this.#convert(field, depth + 1);
      setOwn(properties, key, isOptional && this.#rules.isAllRequired ? nullable(converted) : converted);
    }
    const required = this.#rules.isAllRequired ? Object.keys(fields) : wanted;
    return describe(schema, { type: 'object', properties, required, additionalProperties: false }, []);
  }

  /** Adds the keywords that are enforced, and tells of the others. */
  #constrain(schema: JsonObject, target: JsonObject): JsonObject {
    const enforced: Record<string, Json> = {};
    const told: string[] = [];
    for (const [key, value] of Object.entries(schema)) {
      if (!TELLABLE.has(key)) continue;
      if (this.#isEnforced(key, value)) enforced[key] = value;
      else told.push(`${key}: ${JSON.stringify(value)}`);
    }
    return describe(schema, { ...target, ...enforced }, told);
  }

  #isEnforced(key: string, value: Json): boolean {
    if (!this.#rules.keywords.has(key)) return false;
    if (key === 'format') return typeof value === 'string' && STRICT_FORMATS.has(value);
    // Look-around is more than their regular expressions can do.
    if (key === 'pattern') return typeof value === 'string' && !value.includes('(?');
    return key !== 'minItems' || (typeof value === 'number' && value <= this.#rules.maxMinItems);
  }
}

function wrap(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { value: schema }, required: ['value'], additionalProperties: false };
}

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) {
    if (values.includes(null)) return schema;
    return {
      ...schema,
      type: [...[type as Json].flat(), 'null'],
      enum: [...(values as readonly Json[]), null],
    };
  }
  if (typeof type === 'string' && type !== 'object' && type !== 'array')
    return { ...schema, type: [type, 'null'] };
  if (Array.isArray(type))
    return type.includes('null') ? schema : { ...schema, type: [...(type as readonly Json[]), 'null'] };
  if (Array.isArray(schema['anyOf']))
    return { ...schema, anyOf: [...(schema['anyOf'] as readonly Json[]), { type: 'null' }] };
  return { anyOf: [schema, { type: 'null' }] };
}

function describe(source: JsonObject, target: JsonObject, told: readonly string[]): JsonObject {
  const description = [
    ...(typeof source['description'] === 'string' ? [source['description']] : []),
    ...(told.length === 0 ? [] : [`{${told.join(', ')}}`]),
  ].join(' ');
  return description === '' ? target : { ...target, description };
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
