import { z } from 'zod';
import { type JsonSchema, refuseInexpressible, toJsonSchema, toSchemaIssues } from '../contracts/schema.ts';
import { ARGUMENT_KINDS, type Tool, type ToolContext, type ToolSpec } from '../contracts/tool.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError, ToolError } from '../kernel/errors.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from '../kernel/json.ts';
import { rateLimitedRun } from './rate-limit.ts';

/** What may describe arguments and results: a zod schema, or a JSON Schema (draft 2020-12). */
export type ToolSchema = z.ZodType | JsonSchema;

type ArgsOf<Input> = Input extends z.ZodType ? z.output<Input> : JsonObject;
type ResultOf<Output> = Output extends z.ZodType ? z.input<Output> | Promise<z.input<Output>> : unknown;

/** A tool as its author writes it. */
export interface ToolDefinition<Input extends ToolSchema, Output extends ToolSchema> extends Omit<
  ToolSpec,
  'input' | 'output'
> {
  /** What the arguments must be; always an object. With zod, `run` is given the parsed value. */
  readonly input: Input;
  /** What the result must be; a result that breaks it fails its node. */
  readonly output?: Output;
  /** One call. Return plain JSON; throw a ToolError to give a failure its class. */
  run(args: ArgsOf<Input>, context: ToolContext): ResultOf<Output>;
}

const DEFINITION_KEYS = [
  'name',
  'description',
  'input',
  'output',
  'costHint',
  'effect',
  'idempotent',
  'openWorld',
  'interactive',
  'isolate',
  'cache',
  'timeoutMs',
  'rateLimit',
  'argumentKinds',
  'run',
] as const;

const FLAGS = ['idempotent', 'openWorld', 'interactive', 'isolate', 'cache'] as const;

/** A tool from its definition; throws `tool_invalid`, naming the tool and every fault of the definition. */
export function defineTool<const Input extends ToolSchema, const Output extends ToolSchema = JsonSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  if (!isJsonObject(definition)) {
    throw new OrchestratorError('tool_invalid', 'a tool is defined by an object', {
      hint: "Such as defineTool({ name: 'look_up', … }).",
    });
  }
  const faults = definitionFaults(definition);
  const input = readSchema('input', definition.input, faults);
  const output =
    definition.output === undefined ? undefined : readSchema('output', definition.output, faults);
  if (input !== undefined && !acceptsObject(input)) faults.push('input must describe an object');
  faults.push(...argumentKindFaults(definition.argumentKinds, input));
  if (faults.length > 0 || input === undefined) {
    throw new OrchestratorError(
      'tool_invalid',
      `tool ${JSON.stringify(definition.name)}: ${faults.join('; ')}`,
      {
        details: { tool: definition.name, faults },
      },
    );
  }
  const spec: ToolSpec = Object.freeze({
    name: definition.name,
    description: definition.description.trim(),
    input,
    ...(output === undefined ? {} : { output }),
    costHint: definition.costHint,
    effect: definition.effect,
    ...Object.fromEntries(
      FLAGS.flatMap((flag) => (definition[flag] === undefined ? [] : [[flag, definition[flag]]])),
    ),
    ...(definition.timeoutMs === undefined ? {} : { timeoutMs: definition.timeoutMs }),
    ...(definition.rateLimit === undefined
      ? {}
      : { rateLimit: { perMinute: definition.rateLimit.perMinute } }),
    ...(definition.argumentKinds === undefined ? {} : { argumentKinds: { ...definition.argumentKinds } }),
  });
  const run = createRun(definition);
  return {
    spec,
    run: spec.rateLimit === undefined ? run : rateLimitedRun(run, spec.rateLimit.perMinute),
    ...(isZodSchema(definition.output) ? { checkOutput: createOutputCheck(definition.output) } : {}),
  };
}

function createRun<Input extends ToolSchema, Output extends ToolSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool['run'] {
  const { input } = definition;
  if (!isZodSchema(input)) return (args, context) => definition.run(args as ArgsOf<Input>, context);
  const finish = (parsed: z.ZodSafeParseResult<unknown>, context: ToolContext): unknown => {
    if (parsed.success) return definition.run(parsed.data as ArgsOf<Input>, context);
    const issues = toSchemaIssues(parsed.error).map(({ pointer, message }) => ({ pointer, message }));
    const text = issues.map(({ pointer, message }) => `${pointer || '(root)'}: ${message}`).join('; ');
    throw new ToolError('TOOL_MISUSE', `arguments of tool "${definition.name}" are invalid: ${text}`, {
      details: { issues },
    });
  };
  return (args, context) => {
    const parsed = parseArgs(input, args);
    return parsed instanceof Promise
      ? parsed.then((settled) => finish(settled, context))
      : finish(parsed, context);
  };
}

function parseArgs(schema: z.ZodType, args: Json) {
  try {
    return schema.safeParse(args);
  } catch (error) {
    // A schema with an asynchronous refinement cannot be told from another before it is used.
    if (error instanceof z.core.$ZodAsyncError) return schema.safeParseAsync(args);
    throw error;
  }
}

function createOutputCheck(schema: z.ZodType): NonNullable<Tool['checkOutput']> {
  return (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [] : toSchemaIssues(parsed.error);
  };
}

/** The faults of everything but the schemas. A definition may come from untyped code, so nothing is taken for granted. */
function definitionFaults(definition: object): string[] {
  const given: Readonly<Record<string, unknown>> = { ...definition };
  const faults: string[] = [];
  const check = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const { name, description, costHint, effect, timeoutMs, rateLimit, run } = given;
  check(
    typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name),
    'name must be 1 to 64 of A-Z, a-z, 0-9, _ and -',
  );
  check(
    typeof description === 'string' && description.trim() !== '',
    'description is missing; planners choose by it',
  );
  check(
    typeof costHint === 'number' && Number.isFinite(costHint) && costHint >= 0,
    'costHint must be a number from 0',
  );
  check(
    effect === 'read' || effect === 'write' || effect === 'irreversible',
    "effect must be 'read', 'write' or 'irreversible'",
  );
  check(typeof run === 'function', 'run must be a function');
  for (const flag of FLAGS) {
    check(given[flag] === undefined || typeof given[flag] === 'boolean', `${flag} must be true or false`);
  }
  check(
    timeoutMs === undefined || (Number.isSafeInteger(timeoutMs) && Number(timeoutMs) > 0),
    'timeoutMs must be a whole number of milliseconds above 0',
  );
  check(
    rateLimit === undefined || (isJsonObject(rateLimit) && isPositive(rateLimit['perMinute'])),
    'rateLimit.perMinute must be a whole number above 0',
  );
  for (const key of Object.keys(given)) {
    if ((DEFINITION_KEYS as readonly string[]).includes(key)) continue;
    const near = didYouMean(key, DEFINITION_KEYS);
    faults.push(`unknown key ${key}${near === null ? '' : `; did you mean ${near}?`}`);
  }
  return faults;
}

/** A kind that policy does not know, or of an argument that does not exist, would guard nothing. */
function argumentKindFaults(kinds: unknown, input: JsonSchema | undefined): string[] {
  if (kinds === undefined) return [];
  if (!isJsonObject(kinds)) return ['argumentKinds must name a kind for each argument'];
  const properties =
    typeof input === 'object' && isJsonObject(input['properties']) ? input['properties'] : undefined;
  return Object.entries(kinds).flatMap(([argument, kind]) => [
    ...((ARGUMENT_KINDS as readonly unknown[]).includes(kind)
      ? []
      : [`argumentKinds.${argument} must be one of ${ARGUMENT_KINDS.join(', ')}`]),
    ...(properties === undefined || Object.hasOwn(properties, argument)
      ? []
      : [`argumentKinds.${argument}: input has no such property`]),
  ]);
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function readSchema(where: 'input' | 'output', schema: unknown, faults: string[]): JsonSchema | undefined {
  try {
    if (isZodSchema(schema)) return deepFreeze(toJsonSchema(schema, 'throw'));
    const plain = toPlainJson(schema);
    if (typeof plain !== 'boolean' && !isJsonObject(plain)) {
      faults.push(`${where} must be a zod schema or a JSON Schema`);
      return undefined;
    }
    refuseInexpressible(plain);
    return plain;
  } catch (error) {
    faults.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function isZodSchema(schema: unknown): schema is z.ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

/** Arguments are always an object, so a schema that admits none can never be met. */
function acceptsObject(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return schema;
  const { type } = schema;
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function deepFreeze(schema: JsonObject): JsonObject {
  return toPlainJson(schema) as JsonObject;
}
