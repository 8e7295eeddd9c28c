import type { ToolSpec } from '../contracts/tool.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';

/** What is pinned of a tool: a digest of each part that a planner or a check goes by. */
export interface ToolPin {
  /** SHA-256 of the canonical JSON of name, description, schemas and effect. */
  readonly hash: string;
  readonly description: string;
  readonly input: string;
  readonly output: string;
  readonly effect: string;
}

/** The pin of a tool: two tools have the same hash where name, description, schemas and effect are the same. */
export function pinTool({
  name,
  description,
  input,
  output,
  effect,
  openWorld,
  idempotent,
}: ToolSpec): ToolPin {
  const caution = [effect, openWorld === true, idempotent === true];
  return {
    hash: hashJson([name, description, input, output ?? null, ...caution] as Json),
    description: hashJson(description),
    input: hashJson(input),
    output: hashJson(output ?? null),
    effect: hashJson(caution),
  };
}

/** The parts that differ, in words for people, such as `description`. */
export function changedParts(before: ToolPin, after: ToolPin): string[] {
  const parts = {
    description: 'description',
    input: 'input schema',
    output: 'output schema',
    effect: 'effect',
  };
  return Object.entries(parts).flatMap(([part, words]) => {
    const key = part as keyof typeof parts;
    return before[key] === after[key] ? [] : [words];
  });
}
