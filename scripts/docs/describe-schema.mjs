// Schemas as people read them.
import { z } from 'zod';
import { code } from './markdown.mjs';

/** @typedef {ReadonlyMap<unknown, string>} Named Markdown for schemas that are described elsewhere */

/**
 * The type of a schema as Markdown.
 * @param {any} schema
 * @param {Named} named
 * @returns {string}
 */
export function describeType(schema, named) {
  const inner = unwrap(schema);
  const known = named.get(inner);
  if (known !== undefined) return known;
  if (inner instanceof z.ZodArray) return `list of ${describeType(inner.element, named)}`;
  if (inner instanceof z.ZodRecord) return `map of ${describeType(inner.valueType, named)}`;
  if (inner instanceof z.ZodUnion) {
    return [...new Set(inner.options.map((option) => describeType(option, named)))].join(' or ');
  }
  if (inner instanceof z.ZodObject) {
    const fields = Object.entries(inner.shape).map(
      ([name, field]) => `${code(name)}${isOptional(field) ? '?' : ''} (${describeType(field, named)})`,
    );
    return fields.length === 0 ? 'empty object' : `object: ${fields.join(', ')}`;
  }
  if (inner instanceof z.ZodEnum) return inner.options.map((option) => code(String(option))).join(' or ');
  if (inner instanceof z.ZodLiteral) return code(JSON.stringify(inner.value));
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return 'text';
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodNumberFormat) return `whole number${describeRange(inner)}`;
  if (inner instanceof z.ZodNumber) return `number${describeRange(inner)}`;
  return 'any JSON';
}

/**
 * Whether a field may be left out.
 * @param {any} schema
 */
export function isOptional(schema) {
  return schema.safeParse(undefined).success;
}

/**
 * What the schema's author says of it, the outermost wrapper first.
 * @param {any} schema
 * @returns {string}
 */
export function describeMeaning(schema) {
  for (let current = schema; current !== undefined; current = current.def?.innerType) {
    const description = z.globalRegistry.get(current)?.description;
    if (description !== undefined) return description;
  }
  return '';
}

/** @param {any} schema */
function unwrap(schema) {
  let current = schema;
  while (current.def?.innerType !== undefined) current = current.def.innerType;
  return current;
}

/** @param {any} schema */
function describeRange(schema) {
  const { minimum, exclusiveMinimum, maximum } = z.toJSONSchema(schema);
  const low = minimum !== undefined ? ` from ${String(minimum)}` : '';
  const above = exclusiveMinimum !== undefined ? ` above ${String(exclusiveMinimum)}` : '';
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? ` to ${String(maximum)}` : '';
  return (Number(minimum ?? 0) > -Number.MAX_SAFE_INTEGER ? low : '') + above + high;
}
