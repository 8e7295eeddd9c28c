import { isJsonObject, type Json, type JsonObject, parsePointer } from '../kernel/json.ts';

/** A form in arguments that stands for another value, read; or what is wrong with it and at which key. */
export type ReferenceForm =
  | { readonly kind: 'ref'; readonly id: string; readonly path: string }
  | { readonly kind: 'item'; readonly path: string }
  | { readonly kind: 'text'; readonly parts: readonly Json[] }
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'malformed'; readonly key: string; readonly what: string; readonly hint: string };

const FORM_KEYS = ['$ref', '$text', '$item', '$literal'] as const;

const KEYS_OF_FORM: Record<(typeof FORM_KEYS)[number], readonly string[]> = {
  $ref: ['$ref', 'path'],
  $text: ['$text'],
  $item: ['$item'],
  $literal: ['$literal'],
};

/** True for `{"$ref": …}`, `{"$text": …}`, `{"$item": …}` and `{"$literal": …}`, well formed or not. */
export function isForm(record: JsonObject): boolean {
  return (
    Object.hasOwn(record, '$ref') ||
    Object.hasOwn(record, '$text') ||
    Object.hasOwn(record, '$item') ||
    Object.hasOwn(record, '$literal')
  );
}

/** Reads a form; call it only on what `isForm` holds for. */
export function readForm(record: JsonObject): ReferenceForm {
  const form = FORM_KEYS.find((key) => Object.hasOwn(record, key)) ?? '$ref';
  const allowed = KEYS_OF_FORM[form];
  const extra = Object.keys(record).find((key) => !allowed.includes(key));
  if (extra !== undefined) {
    const only = form === '$ref' ? 'has "$ref" and "path" only' : `has "${form}" only`;
    return malformed(extra, `${nameOf(form)} ${only}, not "${extra}"`, `Remove "${extra}".`);
  }
  const value = record[form] as Json;
  switch (form) {
    case '$literal':
      return { kind: 'literal', value };
    case '$text':
      return readText(value);
    case '$item':
      return readItem(value);
    case '$ref':
      return readReference(value, record['path']);
  }
}

function readText(parts: Json): ReferenceForm {
  if (!Array.isArray(parts))
    return malformed('$text', '"$text" must be a list', 'Write {"$text": ["a ", {"$ref": "id"}]}.');
  const list = parts as readonly Json[];
  const wrong = list.findIndex((part) => typeof part !== 'string' && !isTextReference(part));
  if (wrong < 0) return { kind: 'text', parts: list };
  return malformed(
    '$text',
    `part ${wrong} of "$text" is neither a string nor a reference`,
    'Write it as a string.',
  );
}

function isTextReference(part: Json): boolean {
  return isJsonObject(part) && (Object.hasOwn(part, '$ref') || Object.hasOwn(part, '$item'));
}

function readItem(path: Json): ReferenceForm {
  if (typeof path === 'string' && parsePointer(path) !== null) return { kind: 'item', path };
  return malformed(
    '$item',
    '"$item" must be a JSON pointer',
    pointerHint(path) ?? 'Write {"$item": ""} for the whole item.',
  );
}

function readReference(id: Json, path: Json | undefined): ReferenceForm {
  if (typeof id !== 'string')
    return malformed('$ref', '"$ref" must be the id of a node', 'Write {"$ref": "id"}.');
  if (path === undefined) return { kind: 'ref', id, path: '' };
  if (typeof path === 'string' && parsePointer(path) !== null) return { kind: 'ref', id, path };
  return malformed('path', '"path" must be a JSON pointer', pointerHint(path) ?? 'Write it like "/key/0".');
}

function pointerHint(path: Json): string | null {
  return typeof path === 'string' && !path.startsWith('/')
    ? `Did you mean "/${path.replaceAll('.', '/')}"?`
    : null;
}

function nameOf(form: string): string {
  return form === '$ref' ? 'a reference' : `a "${form}"`;
}

function malformed(key: string, what: string, hint: string): ReferenceForm {
  return { kind: 'malformed', key, what, hint };
}
