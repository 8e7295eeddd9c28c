import { compileSchema, type JsonSchema } from '../contracts/schema.ts';
import type { Json } from '../kernel/json.ts';
import { valuesOf } from './schema-step.ts';

const SAMPLES: readonly Json[] = ['text', 1, {}, [], false, null, 0, '', ['text'], [1], [{}], 100];

const known = new WeakMap<object, { readonly sample: Json | undefined }>();

/** Some value that a schema allows, the same each time; undefined where none of the usual ones is. */
export function sampleValue(schema: JsonSchema): Json | undefined {
  if (typeof schema === 'boolean') return undefined;
  let entry = known.get(schema);
  if (entry === undefined) {
    entry = { sample: findSample(schema) };
    known.set(schema, entry);
  }
  return entry.sample;
}

function findSample(schema: JsonSchema): Json | undefined {
  try {
    const validator = compileSchema(schema);
    return [...(valuesOf(schema) ?? []), ...SAMPLES].find((value) => validator.safeParse(value).success);
  } catch {
    // A part of a schema may refer to definitions at its root, which it lacks when it stands alone.
    return undefined;
  }
}
