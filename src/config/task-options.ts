import { z } from 'zod';
import type { Json } from '../kernel/json.ts';
import { taskSchema } from '../contracts/task.ts';
import { isTextList, unwrapSchema } from './schema-walk.ts';

/** How the text of a flag is read; a `list` is split at commas, `json` is read as JSON. */
export type TaskOptionType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'json';

/** A field of the task as it can be given on the command line and in the environment. */
export interface TaskOption {
  /** The path in dots, such as `budget.toolCalls`; `<name>` stands for a name of the user's. */
  readonly path: string;
  readonly type: TaskOptionType;
  /** A text that begins with [ or { is read as JSON. */
  readonly takesJson?: boolean;
  readonly description: string;
  readonly default?: Json;
  readonly choices?: readonly string[];
  /** The environment variable, such as `ORCHESTRATE_BUDGET_TOOL_CALLS`. */
  readonly env: string;
}

/** What every environment variable for a field of the task begins with. */
export const ENV_PREFIX = 'ORCHESTRATE_';

let options: readonly TaskOption[] | null = null;

/** Every field of the task file that takes a value of its own, in the order of the schema. */
export function listTaskOptions(): readonly TaskOption[] {
  options ??= collect(taskSchema, [], '');
  return options;
}

/** The environment variable of a path: upper case, words and steps joined by underscores. */
export function envNameOf(path: readonly string[]): string {
  return ENV_PREFIX + path.map(toEnvWord).join('_');
}

/** One step of a path as it stands in the name of a variable: `toolCalls` is `TOOL_CALLS`. */
export function toEnvWord(step: string): string {
  return step
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9<>]+/g, '_')
    .toUpperCase();
}

function collect(schema: z.core.$ZodType, path: readonly string[], outerDescription: string): TaskOption[] {
  const inner = unwrapSchema(schema);
  const description = describe(schema) ?? describe(inner) ?? outerDescription;
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape as Record<string, z.core.$ZodType>).flatMap(([key, child]) =>
      collect(child, [...path, key], description),
    );
  }
  if (inner instanceof z.ZodRecord) return collect(inner.valueType, [...path, '<name>'], description);
  const choices = choicesOf(inner);
  const fallback = defaultOf(schema);
  const option: TaskOption = {
    path: path.join('.'),
    type: typeOf(inner),
    ...(takesText(inner) ? { takesJson: true } : {}),
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(choices === undefined ? {} : { choices }),
    env: envNameOf(path),
  };
  return [option];
}

function typeOf(schema: z.core.$ZodType): TaskOptionType {
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum || takesText(schema)) return 'string';
  if (schema instanceof z.ZodNumberFormat) return 'integer';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return isTextList(schema) ? 'list' : 'json';
}

function choicesOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const item = schema instanceof z.ZodArray ? unwrapSchema(schema.element) : schema;
  return item instanceof z.ZodEnum ? item.options.map(String) : undefined;
}

function defaultOf(schema: z.core.$ZodType): Json | undefined {
  return schema instanceof z.ZodDefault ? (schema.def.defaultValue as Json) : undefined;
}

function describe(schema: z.core.$ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.description;
}

/** Whether a schema takes a text beside forms that are written as JSON. */
function takesText(schema: z.core.$ZodType): boolean {
  return (
    schema instanceof z.ZodUnion &&
    schema.options.some((option) => unwrapSchema(option) instanceof z.ZodString)
  );
}
