/* The form that a JSON Schema asks for: a field for each value that people can write, JSON for everything else. */
import type { JsonSchema } from '../../contracts/schema.ts';
import { atPointer, isJsonObject, type Json, type JsonObject, setOwn } from '../../kernel/json.ts';

/** One field of a form. */
export interface FormField {
  readonly path: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'lines' | 'json';
  /** Of a choice: its values, as JSON. */
  readonly choices: readonly Json[];
  /** What stands in it at first, as it is written there; empty where nothing does. */
  readonly initial: string;
}

/** What a field holds: a value, nothing, or why it cannot be read. */
export type FieldReading =
  { readonly ok: true; readonly value: Json | undefined } | { readonly ok: false; readonly message: string };

const MOST_FIELDS = 40;
const MOST_DEPTH = 3;

/** The fields of a schema, filled from a value where there is one. */
export function formFields(schema: JsonSchema, value: Json | undefined): FormField[] {
  const fields = fieldsOf(schema, schema, value, [], true, 0);
  if (fields.length <= MOST_FIELDS) return fields;
  return [jsonField([], '', true, value)];
}

function fieldsOf(
  root: JsonSchema,
  reference: JsonSchema,
  value: Json | undefined,
  path: readonly string[],
  isRequired: boolean,
  depth: number,
): FormField[] {
  const schema = follow(root, reference);
  const description = textOf(schema['description']);
  const properties = schema['properties'];
  const isNested = schema['type'] === 'object' && isJsonObject(properties) && !hasBranches(schema);
  if (isNested && depth < MOST_DEPTH && (isRequired || isJsonObject(value))) {
    const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
    return Object.keys(properties).flatMap((name) => {
      const inner = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      const property = properties[name] as JsonSchema;
      return fieldsOf(root, property, inner, [...path, name], required.includes(name), depth + 1);
    });
  }
  const kind = kindOf(schema);
  if (kind === 'json') return [jsonField(path, description, isRequired, value)];
  // What does not fit the schema cannot be written in its field.
  if (value !== undefined && !fits(kind, value)) return [jsonField(path, description, isRequired, value)];
  const choices = kind === 'choice' ? (schema['enum'] as readonly Json[]) : [];
  return [
    { path, label: labelOf(path), description, isRequired, kind, choices, initial: write(kind, value) },
  ];
}

function jsonField(
  path: readonly string[],
  description: string,
  isRequired: boolean,
  value: Json | undefined,
): FormField {
  const initial = value === undefined ? '' : JSON.stringify(value, null, 2);
  return { path, label: labelOf(path), description, isRequired, kind: 'json', choices: [], initial };
}

function labelOf(path: readonly string[]): string {
  return path.length === 0 ? 'value' : path.join(' › ');
}

function follow(root: JsonSchema, schema: JsonSchema): JsonObject {
  let current = schema;
  for (let depth = 0; depth < 8; depth++) {
    if (!isJsonObject(current)) return {};
    const target = current['$ref'];
    if (typeof target !== 'string' || !target.startsWith('#/')) return current;
    current = (atPointer(root, target.slice(1)) ?? {}) as JsonSchema;
  }
  return {};
}

function hasBranches(schema: JsonObject): boolean {
  return ['anyOf', 'oneOf', 'allOf', 'if', 'patternProperties'].some((name) => Object.hasOwn(schema, name));
}

function kindOf(schema: JsonObject): FormField['kind'] {
  if (hasBranches(schema)) return 'json';
  if (Array.isArray(schema['enum'])) return 'choice';
  const { type } = schema as { readonly type?: Json };
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  const items = schema['items'];
  const isOfTexts = type === 'array' && isJsonObject(items) && items['type'] === 'string' && !items['enum'];
  return isOfTexts ? 'lines' : 'json';
}

function fits(kind: FormField['kind'], value: Json): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'lines':
      return Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes('\n'));
    case 'choice':
    case 'json':
      return true;
  }
}

function write(kind: FormField['kind'], value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && kind === 'text') return value;
  if (kind === 'lines') return (value as readonly string[]).join('\n');
  return JSON.stringify(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Reads what was written into a field. An empty text counts as written only where the field must hold one. */
export function readField({ kind, isRequired, initial }: FormField, written: string): FieldReading {
  const isEmpty = kind === 'text' ? written === '' && initial === '' : written.trim() === '';
  if (isEmpty && !(isRequired && (kind === 'text' || kind === 'lines'))) {
    return isRequired ? { ok: false, message: 'is needed' } : { ok: true, value: undefined };
  }
  switch (kind) {
    case 'text':
      return { ok: true, value: written };
    case 'lines':
      return { ok: true, value: written.split('\n').filter((line) => line !== '') };
    case 'number':
    case 'integer': {
      const number = Number(written);
      if (!Number.isFinite(number)) return { ok: false, message: 'is no number' };
      return kind === 'integer' && !Number.isInteger(number)
        ? { ok: false, message: 'is no whole number' }
        : { ok: true, value: number };
    }
    case 'boolean':
    case 'choice':
    case 'json':
      return readJson(written);
  }
}

function readJson(written: string): FieldReading {
  try {
    return { ok: true, value: JSON.parse(written) as Json };
  } catch (error) {
    return { ok: false, message: `is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The value that fields make up, starting from the value that they were filled from: what has no field stays. */
export function assembleValue(
  base: Json | undefined,
  values: readonly { readonly path: readonly string[]; readonly value: Json | undefined }[],
): Json | undefined {
  return values.reduce<Json | undefined>((whole, { path, value }) => setAt(whole, path, value), base);
}

function setAt(whole: Json | undefined, path: readonly string[], value: Json | undefined): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const copy: Record<string, Json> = {};
  if (isJsonObject(whole)) for (const key of Object.keys(whole)) setOwn(copy, key, whole[key] as Json);
  const inner = setAt(Object.hasOwn(copy, name) ? copy[name] : undefined, rest, value);
  if (inner !== undefined) setOwn(copy, name, inner);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an own property of a copy
  else delete copy[name];
  return copy;
}
