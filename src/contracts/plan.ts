import { z } from 'zod';
import type { JsonObject } from '../kernel/json.ts';
import { jsonValue } from './json-value.ts';

/** A reference to the result of a node, or to a part of it by JSON pointer. */
export const referenceSchema = z.strictObject({ $ref: z.string(), path: z.string().optional() });

const nodeIdSchema = z.string().min(1).max(64);

/** A reference to the result of a node. */
export interface Reference {
  readonly $ref: string;
  readonly path?: string;
}

/** One accepted node: `deps` are those declared and those referenced, each once, in order of first mention. */
export interface PlanNode {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly deps: readonly string[];
  readonly foreach?: Reference;
  readonly optional?: boolean;
}

/** The schema of an accepted node in the log. */
export const acceptedNodeSchema = z.strictObject({
  id: nodeIdSchema,
  tool: z.string(),
  args: z.record(z.string(), jsonValue),
  deps: z.array(z.string()),
  foreach: referenceSchema.optional(),
  optional: z.boolean().optional(),
}) as unknown as z.ZodType<PlanNode>;

/** The schema of an accepted plan, as it stands in the log. */
export const planSchema = z.strictObject({ nodes: z.array(acceptedNodeSchema), output: z.string() });

/** An accepted plan: acyclic, every tool known, every reference resolvable. */
export interface Plan {
  readonly nodes: readonly PlanNode[];
  readonly output: string;
}

/** Every code of a plan problem; the warnings do not refuse a plan. */
export const PLAN_PROBLEM_CODES = [
  'not_json',
  'truncated_json',
  'ambiguous_json',
  'invalid_shape',
  'empty_plan',
  'too_many_nodes',
  'duplicate_id',
  'unknown_tool',
  'withheld_tool',
  'invalid_args',
  'missing_dependency',
  'bad_reference',
  'invalid_foreach',
  'cycle',
  'missing_output',
  'over_budget',
  'unchanged_plan',
  'widened_plan',
  'forbidden_args',
  'unused_node',
] as const;

/** One fault of a plan: its code, the node, the JSON pointer into the plan, what is wrong and what to do. */
export interface PlanProblem {
  readonly code: (typeof PLAN_PROBLEM_CODES)[number];
  readonly node?: string;
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
}

/** The schema of a plan problem in the log. */
export const planProblemSchema = z.strictObject({
  code: z.enum(PLAN_PROBLEM_CODES),
  node: z.string().optional(),
  pointer: z.string(),
  message: z.string(),
  hint: z.string().optional(),
}) as unknown as z.ZodType<PlanProblem>;

/** What a plan is expected to take. Counts of tool calls are exact but for `foreach`, which counts at its bound. */
export const planEstimateSchema = z.strictObject({
  nodes: z.number(),
  toolCalls: z.number(),
  /** Sum of the cost hints. */
  weight: z.number(),
  levels: z.number(),
  /** Largest sum of cost hints on one path. */
  criticalWeight: z.number(),
});

/** What a plan is expected to take. */
export type PlanEstimate = z.infer<typeof planEstimateSchema>;
