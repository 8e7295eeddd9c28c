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

/** Every way in which `value` breaks `schema`; an empty list where it holds. Nothing is coerced. */
export function schemaIssues(schema: JsonSchema, value: Json): readonly SchemaIssue[] {
  if (typeof schema !== 'boolean' && takesMoreSteps(schema, value, MAX_STEPS))
    return [{ pointer: '', message: `It takes more than ${MAX_STEPS} steps to check it against its schema` }];
  const result = compileSchema(schema).safeParse(value);
  return result.success ? NO_ISSUES : toSchemaIssues(result.error);
}

const NO_ISSUES: readonly SchemaIssue[] = Object.freeze([]);

/** The issues of a zod error as plain data. */
export function toSchemaIssues(error: z.ZodError): SchemaIssue[] {
  return error.issues.map((issue) => ({
    pointer: toPointer(issue.path as (string | number)[]),
    message: issue.message,
    ...(issue.code === 'unrecognized_keys' ? { unknownKeys: issue.keys } : {}),
  }));
}

/**
 * The JSON Schema of a zod schema, as a caller has to write the value (before defaults and transforms). What JSON
 * Schema cannot express accepts anything; with `unrepresentable: 'throw'` it is an error.
 */
export function toJsonSchema(schema: z.ZodType, unrepresentable: 'any' | 'throw' = 'any'): JsonObject {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable }) as unknown as JsonObject;
  return Object.fromEntries(Object.entries(described).filter(([key]) => key !== '$schema'));
}
