import { z } from 'zod';
import { jsonValue } from '../contracts/json-value.ts';
import { toJsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';

const inputSchema = z.strictObject({
  task: z.string().min(1).meta({ description: 'What is to be done, with all that must be known for it.' }),
  context: jsonValue
    .optional()
    .meta({ description: 'What the agent needs to know beside it, such as results of other nodes.' }),
  tools: z
    .array(z.string())
    .min(1)
    .optional()
    .meta({ description: 'Names of the only tools that it may call; all of them where not given.' }),
  max_iterations: z.int().positive().optional().meta({ description: 'Turns that it may take at most.' }),
});

/** The arguments of a planned `delegate`. */
export type PlannedDelegation = z.infer<typeof inputSchema>;

let input: ToolSpec['input'] | undefined;

/** `delegate` as a planner sees it: a node whose work is an agent, and whose result is the agent's answer as a text. */
export const PLANNED_DELEGATE: ToolSpec = {
  name: 'delegate',
  description:
    'Hands a step that cannot be planned to an agent: it calls tools in rounds as it sees fit and answers in text. Costs many model calls; use it only where no other tool does the step.',
  // Made when a planner sees it.
  get input() {
    return (input ??= toJsonSchema(inputSchema));
  },
  output: { type: 'string' },
  costHint: 10,
  effect: 'read',
};

/** The plan of a task that one agent does alone. */
export function singleAgentPlan(goal: string): string {
  return JSON.stringify({
    nodes: [{ id: 'agent', tool: PLANNED_DELEGATE.name, args: { task: goal } }],
    output: 'agent',
  });
}
