import { z } from 'zod';
import { failureSchema } from '../contracts/failure.ts';
import { jsonValue } from '../contracts/json-value.ts';
import { hookedShape } from '../contracts/hooks.ts';
import { callMarksSchema } from '../contracts/policy/call-marks.ts';
import { recorded, computed, node, attempt, digest, key, atRest, draw } from './events-shape.ts';

const call = key
  .optional()
  .meta({ description: 'Key of the call of an agent that is asked about; `node` is then the same.' });

/** What makes the schemas of the events of one node, by type. */
export const nodeEventSchemas = {
  'node.expanded': () =>
    computed('node.expanded', 'A foreach node became one node per item.', {
      node,
      items: z.int().nonnegative(),
    }),
  'node.started': () =>
    computed('node.started', 'A tool call was reserved and is made.', {
      node,
      attempt,
      args: digest,
      timeoutMs: z.number(),
      agent: z.enum(['delegate', 'code']).optional().meta({
        description: 'An agent does its work: a delegated one, or one in the place of a failed tool.',
      }),
    }),
  'node.done': () =>
    recorded('node.done', 'A node has its result.', {
      node,
      attempt,
      value: jsonValue,
    }),
  'node.reused': () =>
    computed('node.reused', 'A node took the result of an equal call of this run.', {
      node,
      from: node,
      digest,
    }),
  'node.joined': () =>
    computed('node.joined', 'All items of a foreach node ended; its result is the list of theirs.', {
      node,
      digest,
    }),
  'attempt.failed': () =>
    recorded('attempt.failed', 'One attempt of a node failed.', {
      node,
      attempt,
      failure: failureSchema,
      lingering: z
        .boolean()
        .optional()
        .meta({ description: 'The code had not returned when its grace ended.' }),
      draw,
    }),
  'retry.scheduled': () =>
    computed('retry.scheduled', 'A failed attempt is made again after a delay.', {
      key,
      delayMs: z.number(),
    }),
  'node.amended': () =>
    computed('node.amended', 'Arguments or instructions of a node were changed.', {
      node,
      by: z.enum(['repair', 'revision', 'person', 'hook']),
      args: z.record(z.string(), jsonValue).optional(),
      reasons: z.array(z.string()),
      atRest,
    }),
  'node.failed': () =>
    computed('node.failed', 'A node ended without a result.', { node, failure: failureSchema }),
  'node.skipped': () =>
    computed('node.skipped', 'A node was not run.', {
      node,
      reason: z.enum(['dependency', 'pressure', 'stopped']),
      dependency: node.optional(),
    }),
  'node.refused': () =>
    computed('node.refused', 'Budget or policy kept a node from running.', {
      node,
      by: z.enum(['budget', 'policy']),
      reason: z.string(),
    }),
  'node.cancelled': () =>
    computed('node.cancelled', 'A running node was cancelled with the run.', {
      node,
      attempt,
    }),
  'hooks.requested': () =>
    computed(
      'hooks.requested',
      'Hooks are asked about a node that no code outside does: a question to a person, or the work of an agent.',
      { node, when: hookedShape.when },
    ),
  'node.hooked': () =>
    recorded(
      'node.hooked',
      'What hooks say of a node that no code outside does; nothing lets it go on, or its result stand.',
      { node, ...hookedShape },
    ),
  'approval.requested': () =>
    computed('approval.requested', 'A node waits for a person.', {
      node,
      question: z.enum(['consent', 'in_doubt', 'plan', 'answer']).meta({
        description:
          'Whether the call may be made; what became of one whose outcome is unknown; whether a replan may reach further, `args` saying what it adds and `argsHash` being that of the plan; or what an interactive tool asks, whose result is the answer.',
      }),
      tool: z.string(),
      args: jsonValue,
      argsHash: digest,
      plan: digest,
      call,
      ...callMarksSchema,
    }),
  'approval.decided': () =>
    recorded('approval.decided', 'A person (or a standing consent) answered.', {
      node,
      argsHash: digest,
      decision: z.enum(['approved', 'denied', 'done']).meta({
        description: 'The call may be made (again); it may not; or it was made and this is its result.',
      }),
      value: jsonValue.optional().meta({ description: 'Result of a call that was made.' }),
      by: z.string(),
      reason: z.string().optional(),
      call,
      next: z
        .int()
        .nonnegative()
        .optional()
        .meta({ description: 'Calls of the agent after this one that are made without asking.' }),
      atRest,
      answer: z
        .string()
        .optional()
        .meta({ description: 'Id of the answer, where one was sent from outside.' }),
      expired: z
        .boolean()
        .optional()
        .meta({ description: 'Nobody answered in time; this follows from the events before.' }),
    }),
};
