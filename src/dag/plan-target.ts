import type { PlanNode } from '../contracts/plan.ts';
import type { JsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { atPointer, type Json, parsePointer } from '../kernel/json.ts';
import { propertyNames, type SchemaStep, walkSchema } from './schema-step.ts';

/** A node that is done, with its result where that is at hand. */
export interface DoneNode {
  readonly node: PlanNode;
  readonly value?: Json;
}

/** What a reference may lead to: a node's result, by its schema and, where it is done, by its value. */
export interface Target {
  readonly schema: JsonSchema | undefined;
  readonly value: Json | undefined;
}

/** What a pointer into a target leads to; `known` names what is there instead where it leads nowhere. */
export type Lookup =
  | {
      readonly found: true;
      readonly schema: Exclude<SchemaStep, 'missing'>;
      readonly value: Json | undefined;
    }
  | { readonly found: false; readonly known: readonly string[] };

const listSchemas = new WeakMap<object, JsonSchema>();

/** The result of a node: of a `foreach` the list of its items' results. */
export function targetOf(tool: ToolSpec | undefined, isForeach: boolean, value?: Json): Target {
  const output = tool?.output;
  if (!isForeach) return { schema: output, value };
  if (typeof output !== 'object') return { schema: ANY_LIST, value };
  let schema = listSchemas.get(output);
  if (schema === undefined) listSchemas.set(output, (schema = { type: 'array', items: output }));
  return { schema, value };
}

const ANY_LIST: JsonSchema = Object.freeze({ type: 'array' });

/** Follows a pointer into a target: into its value where it has one, else into its schema. */
export function lookUp({ schema, value }: Target, path: string): Lookup {
  const steps = parsePointer(path) ?? [];
  const step = schema === undefined ? 'unknown' : walkSchema(schema, steps);
  if (value !== undefined && value !== null) {
    const found = atPointer(value, path);
    if (found === undefined) return { found: false, known: keysAt(value, steps) };
    return { found: true, schema: step === 'missing' ? 'unknown' : step, value: found };
  }
  if (step !== 'missing') return { found: true, schema: step, value: undefined };
  return { found: false, known: schema === undefined ? [] : pointersBefore(schema, steps) };
}

/** Pointers that a schema has where the steps first lead nowhere. */
function pointersBefore(schema: JsonSchema, steps: readonly string[]): readonly string[] {
  for (let length = steps.length - 1; length >= 0; length--) {
    const before = steps.slice(0, length);
    const at = walkSchema(schema, before);
    if (typeof at !== 'object') continue;
    const prefix = before.map((step) => `/${step}`).join('');
    const names = propertyNames(at);
    if (names.length > 0) return names.map((name) => `${prefix}/${name}`);
    const { items } = at;
    const isList = at['type'] === 'array';
    return isList
      ? propertyNames(typeof items === 'object' ? (items as JsonSchema) : true).map(
          (name) => `${prefix}/0/${name}`,
        )
      : [];
  }
  return [];
}

function keysAt(value: Json, steps: readonly string[]): readonly string[] {
  let [current, prefix] = [value, ''];
  for (const step of steps) {
    const next = atPointer(current, `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (next === undefined) break;
    [current, prefix] = [next, `${prefix}/${step}`];
  }
  return typeof current === 'object' && current !== null
    ? Object.keys(current).map((key) => `${prefix}/${key}`)
    : [];
}
