import type { z } from 'zod';
import type { JsonSchema } from '../contracts/schema.ts';
import { atPointer, type Json, toPointer } from '../kernel/json.ts';
import type { CheckContext } from './check-references.ts';
import type { DraftNode } from './plan-shape.ts';
import { propertyNames, type SchemaStep, typesOf, walkSchema } from './schema-step.ts';

type Path = readonly PropertyKey[];

/** Issues that hold of an object or list whatever the values are that are not known yet. */
const CERTAIN_CODES: ReadonlySet<string> = new Set([
  'unrecognized_keys',
  'invalid_type',
  'too_small',
  'too_big',
]);

/** Reports what a tool's schema says of arguments, but for what depends on values that are not known yet. */
export function reportIssues(
  { problems, suggestions }: CheckContext,
  draft: DraftNode,
  schema: JsonSchema,
  args: Json,
  issues: readonly z.core.$ZodIssue[],
  unknown: readonly Path[],
): void {
  for (const issue of issues) {
    const { path } = issue;
    if (unknown.some((hole) => dependsOn(path, issue.code, hole))) continue;
    const steps = path.map(String);
    const pointer = toPointer(steps);
    const complain = (at: string, message: string, hint?: string): void => {
      problems.addAt('invalid_args', draft.index, draft.id, `/args${at}`, message, hint);
    };
    if (issue.code === 'unrecognized_keys') {
      const step = walkSchema(schema, steps);
      const names = typeof step === 'object' ? propertyNames(step) : [];
      for (const key of issue.keys) {
        const hint =
          suggestions.suggest(key, new Set(names)) ??
          (names.length > 0 ? `It takes ${names.join(', ')}.` : undefined);
        complain(pointer + toPointer([key]), `"${draft.tool ?? ''}" takes no "${key}"`, hint);
      }
    } else if (path.length > 0 && atPointer(args, pointer) === undefined) {
      complain(
        pointer,
        `"${draft.tool ?? ''}" needs "${steps.at(-1) ?? ''}"`,
        describeType(walkSchema(schema, steps)),
      );
    } else {
      complain(pointer, issue.message);
    }
  }
}

/** True where an issue lies at or below a place that is not known yet, or above it and may come from it. */
function dependsOn(path: Path, code: string, hole: Path): boolean {
  const shared = Math.min(path.length, hole.length);
  for (let index = 0; index < shared; index++) if (path[index] !== hole[index]) return false;
  return path.length >= hole.length || !CERTAIN_CODES.has(code);
}

function describeType(step: SchemaStep): string | undefined {
  const types = typeof step === 'object' ? typesOf(step) : null;
  return types === null ? undefined : `Give it as ${types.join(' or ')}.`;
}
