import { CHILD_TOOLS } from '../contracts/agent.ts';
import { toJsonSchema } from '../contracts/schema.ts';
import type { ToolEffect, ToolSpec } from '../contracts/tool.ts';
import { z } from 'zod';
import { memoryArgsSchema } from './agent-memory.ts';
import { todoArgsSchema } from './todo.ts';

const delegateSchema = z.strictObject({
  task: z.string().min(1).meta({ description: 'What is to be done, with all that must be known for it.' }),
  tools: z
    .array(z.string())
    .min(1)
    .optional()
    .meta({ description: 'Some of your own tools; all that may be passed on where not given.' }),
  max_iterations: z.int().positive().optional().meta({ description: 'Turns that it may take at most.' }),
});
const agentName = z.string().regex(/^[\w-]{1,32}$/);
const startSchema = delegateSchema.extend({ name: agentName });
const messageSchema = z.strictObject({ name: agentName, message: z.string().min(1) });

/** The arguments of `delegate` and, with a name, of `start_agent`. */
export type DelegateArgs = z.infer<typeof delegateSchema> & { readonly name?: string };

/** The tools that an agent answers itself. */
const LOCAL_TOOLS: ReadonlySet<string> = new Set(['todo', 'memory', 'finish', 'list_agents', 'delete_agent']);

/** Tools that no child is ever given: those that delegate, those that ask a person, the parent's memory. */
export const NOT_FOR_CHILDREN: ReadonlySet<string> = new Set([
  ...['delegate', 'start_agent', 'message_agent', 'list_agents', 'delete_agent'],
  ...['ask_human', 'clarify', 'memory'],
]);

function define(name: string, effect: ToolEffect, description: string, input: z.ZodType): ToolSpec {
  let schema: ToolSpec['input'] | undefined;
  return {
    name,
    description,
    // Made when an agent needs it: most runs have none.
    get input() {
      return (schema ??= toJsonSchema(input));
    },
    costHint: 1,
    effect,
  };
}

/** The tools that live in the agent, as a catalogue lists them; a catalogue's own may not have their names. */
export const AGENT_TOOLS: readonly ToolSpec[] = [
  define(
    'todo',
    'read',
    'Your list of what is to be done: read it, replace it, or change some of its items.',
    todoArgsSchema,
  ),
  define(
    'memory',
    'read',
    'Your own notes, which outlast this session and are limited in size.',
    memoryArgsSchema,
  ),
  define(
    'finish',
    'read',
    'Ends the task with its answer.',
    z.strictObject({ answer: z.string().min(1).meta({ description: 'The whole answer to the task.' }) }),
  ),
  define(
    'delegate',
    'read',
    'Hands a task to another agent with some of your tools and a context of its own, and waits for what it finds.',
    delegateSchema,
  ),
  define(
    'start_agent',
    'read',
    'Starts an agent that stays, with a first task, and waits for its answer.',
    startSchema,
  ),
  define(
    'message_agent',
    'read',
    'Sends a message to an agent that you started, and waits for its answer.',
    messageSchema,
  ),
  define('list_agents', 'read', 'The agents that you started.', z.strictObject({})),
  define('delete_agent', 'read', 'Forgets an agent that you started.', z.strictObject({ name: agentName })),
];

/** True for a tool that an agent answers itself, without any effect outside. */
export function isLocalTool(name: string): boolean {
  return LOCAL_TOOLS.has(name);
}

/** True for a tool whose work is another agent. */
export function isChildTool(name: string): boolean {
  return CHILD_TOOLS.has(name);
}
