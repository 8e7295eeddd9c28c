import { z } from 'zod';
import type { Json, JsonObject } from '../kernel/json.ts';
import { toPointer } from '../kernel/json.ts';
import { loosenSchema } from './loose-schema.ts';
import { takesMoreSteps } from './schema-steps.ts';

/** A JSON Schema (draft 2020-12) as plain JSON. */
export type JsonSchema = JsonObject | boolean;

/** One way in which a value breaks a schema: where (JSON pointer) and what. */
export interface SchemaIssue {
  readonly pointer: string;
  readonly message: string;
  /** Keys that the schema does not know, where that is the issue. */
  readonly unknownKeys?: readonly string[];
}

const compiled = new WeakMap<object, z.ZodType>();
const anything = z.any();

/**
 * The validator of a JSON Schema, compiled once per schema object. What zod cannot express of it, such as conditions, is
 * left out; throws where the schema is none.
 */
export function compileSchema(schema: JsonSchema): z.ZodType {
  if (typeof schema === 'boolean') return schema ? anything : z.never();
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validator = z.fromJSONSchema(loosenSchema(schema));
  compiled.set(schema, validator);
  return validator;
}

/** Throws where the validator of a JSON Schema would leave something out, or there can be none. */
export function refuseInexpressible(schema: JsonSchema): void {
  z.fromJSONSchema(schema);
}

/** Most pairs of a part of a schema and a part of a value that are looked at; it is a matter of seconds. */
const MAX_STEPS = 5_000_000;
/** Most ways that are told, and most characters of each: who chose the value chose how many there are. */
const MAX_ISSUES = 1000;
const MAX_MESSAGE_CHARS = 4000;

/**
 * Every way in which `value` breaks `schema`, of very many the first and how many more; an empty list where it holds.
 * Nothing is coerced.
 */
export function schemaIssues(schema: JsonSchema, value: Json): readonly SchemaIssue[] {
  if (typeof schema !== 'boolean' && takesMoreSteps(schema, value, MAX_STEPS))
    return [{ pointer: '', message: `It takes more than ${MAX_STEPS} steps to check it against its schema` }];
  const found = findIssues(compileSchema(schema), value);
  if (found === null) return [{ pointer: '', message: 'It breaks its schema in too many ways to tell them' }];
  if (found.length === 0) return NO_ISSUES;
  // Messages are made of those only that are told.
  const told = found
    .slice(0, MAX_ISSUES)
    .map((issue) => z.core.util.finalizeIssue(issue, CONTEXT, z.core.config()));
  const issues = told.map(toSchemaIssue);
  const more = found.length - told.length;
  return more === 0
    ? issues
    : [...issues, { pointer: '', message: `It breaks its schema in ${more} more ways` }];
}

const NO_ISSUES: readonly SchemaIssue[] = Object.freeze([]);
const CONTEXT: z.core.ParseContextInternal = { async: false };

/** What is wrong with a value; null where that is more than the validator can collect. */
function findIssues(validator: z.core.$ZodType, value: Json): readonly z.core.$ZodRawIssue[] | null {
  try {
    // Nothing of a JSON Schema is checked asynchronously.
    return (validator._zod.run({ value, issues: [] }, CONTEXT) as z.core.ParsePayload).issues;
  } catch (error) {
    // It hands the issues of a list on as the arguments of one call.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The issues of a zod error as plain data. */
export function toSchemaIssues(error: z.ZodError): SchemaIssue[] {
  return error.issues.map(toSchemaIssue);
}

function toSchemaIssue(issue: z.core.$ZodIssue): SchemaIssue {
  const { path, message } = issue;
  return {
    pointer: toPointer(path as (string | number)[]),
    message: message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message,
    ...(issue.code === 'unrecognized_keys' ? { unknownKeys: issue.keys } : {}),
  };
}

/**
 * The JSON Schema of a zod schema, as a caller has to write the value (before defaults and transforms). What JSON
 * Schema cannot express accepts anything; with `unrepresentable: 'throw'` it is an error.
 */
export function toJsonSchema(schema: z.ZodType, unrepresentable: 'any' | 'throw' = 'any'): JsonObject {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable }) as unknown as JsonObject;
  return Object.fromEntries(Object.entries(described).filter(([key]) => key !== '$schema'));
}
