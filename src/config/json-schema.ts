import { z } from 'zod';
import type { JsonObject } from '../kernel/json.ts';
import { taskSchema } from '../contracts/task.ts';

/** The JSON Schema (draft 7, which every editor reads) of a task file as it is written, before defaults. */
export function taskJsonSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(taskSchema, { io: 'input', target: 'draft-7' });
  return {
    $schema,
    title: 'Task of orchestrate',
    description: 'A goal, the tools and the budget to reach it with, and what the result is checked by.',
    ...rest,
    patternProperties: { '^x-': {} },
  } as unknown as JsonObject;
}
