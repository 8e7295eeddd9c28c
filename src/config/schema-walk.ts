import { z } from 'zod';
import type { TaskPath } from './problem.ts';

/** A schema without what may wrap it: defaults and optionality. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  let current = schema;
  while (
    current instanceof z.ZodDefault ||
    current instanceof z.ZodPrefault ||
    current instanceof z.ZodOptional ||
    current instanceof z.ZodNullable
  ) {
    current = current.unwrap();
  }
  return current;
}

/** The schema of the value at a path, unwrapped; null where the path leaves what is known, as in a union. */
export function schemaAtPath(root: z.core.$ZodType, path: TaskPath): z.core.$ZodType | null {
  let current = unwrapSchema(root);
  for (const step of path) {
    const child: z.core.$ZodType | undefined =
      current instanceof z.ZodObject
        ? (current.shape as Record<string, z.core.$ZodType>)[step]
        : current instanceof z.ZodRecord
          ? current.valueType
          : current instanceof z.ZodArray
            ? current.element
            : undefined;
    if (child === undefined) return null;
    current = unwrapSchema(child);
  }
  return current;
}

/** The keys that an object schema knows; none for any other schema. */
export function keysOfSchema(schema: z.core.$ZodType | null): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Whether a schema takes a list of texts, alone or beside other forms. */
export function isTextList(schema: z.core.$ZodType): boolean {
  return (
    schema instanceof z.ZodArray && ['string', 'enum'].includes(unwrapSchema(schema.element)._zod.def.type)
  );
}
