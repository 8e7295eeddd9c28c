/*
 * The events of a run. Each field is recorded (an input: it cannot be known from the events before it) or computed
 * (it follows from them); replay compares the computed ones. The zod schemas are the source of the types, of the
 * validation on read and of the reference page.
 */
import { z } from 'zod';
import { reservationSchema } from '../contracts/budget.ts';
import { failureSchema } from '../contracts/failure.ts';
import { jsonValue } from '../contracts/json-value.ts';
import { askRequestSchema, modelAnswerSchema, usageSchema } from '../contracts/model.ts';
import { planEstimateSchema, planProblemSchema, planSchema } from '../contracts/plan.ts';
import { taskSchema } from '../contracts/task.ts';
import { toolSpecSchema } from '../contracts/tool.ts';
import { checkResultSchema, verdictSchema } from '../contracts/verdict.ts';
import { agentEventSchemas } from './events-of-agents.ts';
import { catalogueNotes } from './events-of-catalogue.ts';
import { onDemand } from '../kernel/on-demand.ts';
import { memoryEventSchemas } from './events-of-memory.ts';
import { nodeEventSchemas } from './events-of-nodes.ts';
import {
  type Provenance,
  recorded,
  computed,
  node,
  attempt,
  digest,
  key,
  mode,
  attended,
  remembers,
  hooks,
  targets,
  session,
  draw,
} from './events-shape.ts';

/** The schema of every event, by type. */
export const eventSchemas = onDemand({
  'run.started': () =>
    recorded('run.started', 'A run began; holds its resolved configuration.', {
      runId: z.string(),
      task: taskSchema,
      goal: z.string().meta({ description: 'The goal with its inputs filled in.' }),
      rules: z.int().positive().meta({ description: 'Version of the decision rules.' }),
      plan: z
        .string()
        .optional()
        .meta({ description: 'Text of a plan that was supplied; it is run or refused.' }),
      planOnly: z.boolean().optional().meta({ description: 'The run ends when its plan is accepted.' }),
      workspace: z.string(),
      taskFile: z.string().optional().meta({ description: 'Path of the task file, where it came from one.' }),
      session,
      attended,
      memory: remembers,
      hooks,
      targets,
      traceparent: z.string().optional(),
    }),
  'catalogue.published': () =>
    recorded('catalogue.published', 'The tools that exist, logged once per hash.', {
      hash: digest,
      tools: z.array(toolSpecSchema),
      withheld: z.array(z.string()).meta({ description: 'Tools that policy keeps from this run.' }),
      ...catalogueNotes(),
    }),
  'model.requested': () =>
    computed('model.requested', 'A model call was reserved and is made.', {
      key,
      role: z.string(),
      node: node.optional().meta({ description: 'The node that asks, or whose arguments are repaired.' }),
      provider: z.string().meta({ description: 'Id of the provider that is asked.' }),
      link: z.int().nonnegative().meta({ description: 'Its place in the chain of the role.' }),
      model: z.string(),
      request: digest,
      reserved: reservationSchema,
      timeoutMs: z.number(),
    }),
  'model.answered': () => recorded('model.answered', 'A model answered.', { key, answer: modelAnswerSchema }),
  'model.failed': () =>
    recorded('model.failed', 'A model call failed.', {
      key,
      failure: failureSchema,
      usage: usageSchema.optional().meta({ description: 'What is known to have been used all the same.' }),
      draw,
    }),
  'model.warned': () =>
    recorded('model.warned', 'A provider could not do all that was asked of it.', {
      key,
      message: z.string(),
    }),
  'model.refused': () =>
    computed('model.refused', 'A model call does not fit the budget and was not made.', {
      key,
      role: z.string(),
      node: node.optional(),
      dimension: z.string(),
    }),
  'fallback.chosen': () =>
    computed('fallback.chosen', 'A model call goes to the next provider of its chain.', {
      key,
      from: z.string(),
      to: z.string(),
      link: z.int().positive(),
      reason: z.string().meta({ description: 'Code of the failure before.' }),
    }),
  'credential.requested': () =>
    computed('credential.requested', 'A provider refused its key; a fresh one is fetched.', {
      key,
      provider: z.string(),
    }),
  'credential.refreshed': () =>
    recorded('credential.refreshed', 'A fresh key was fetched, or could not be.', {
      key,
      provider: z.string(),
      failure: failureSchema.optional(),
    }),
  'ask.received': () =>
    recorded('ask.received', 'A tool asks a model.', {
      key,
      node,
      attempt,
      role: z.string(),
      request: askRequestSchema,
    }),
  'ask.failed': () =>
    computed('ask.failed', 'A question of a tool ended without a usable answer.', {
      key,
      failure: failureSchema,
    }),
  'ask.reused': () =>
    computed('ask.reused', 'A tool that runs again was handed the answer recorded for the same question.', {
      key,
      node,
    }),
  'plan.rejected': () =>
    computed('plan.rejected', 'A plan was refused, with every problem.', {
      key: key.optional(),
      problems: z.array(planProblemSchema),
    }),
  'plan.accepted': () =>
    computed('plan.accepted', 'A plan was accepted; no tool runs before.', {
      key: key.optional(),
      version: z.int().positive(),
      hash: digest,
      plan: planSchema,
      kept: z.array(node).meta({ description: 'Nodes that were done and keep their results.' }),
      superseded: z
        .array(node)
        .meta({ description: 'Nodes of the plan before that this one does not hold.' }),
      warnings: z.array(planProblemSchema),
      estimate: planEstimateSchema,
    }),
  'level.started': () =>
    computed('level.started', 'The next level of the walk began.', {
      level: z.int().nonnegative(),
      nodes: z.int().positive(),
    }),
  'pressure.changed': () =>
    computed('pressure.changed', 'The mode of the budget changed.', {
      mode,
      pressure: z.number(),
      dimension: z.string(),
    }),
  'budget.overrun': () =>
    computed('budget.overrun', 'A call used more than it had reserved; no new call is made.', {
      key,
      dimension: z.string(),
      reserved: z.number(),
      used: z.number(),
    }),
  ...nodeEventSchemas,
  ...memoryEventSchemas,
  ...agentEventSchemas,
  'replan.started': () =>
    computed('replan.started', 'The rest of the plan is drawn anew.', {
      reason: z.enum(['node_failed', 'verdict']),
      failed: z.array(node),
      issues: z
        .array(z.string())
        .meta({ description: 'What the critic said, where its verdict is the reason.' }),
    }),
  'check.returned': () =>
    recorded('check.returned', 'A function check returned.', {
      key,
      result: checkResultSchema,
    }),
  'check.called': () =>
    computed('check.called', 'A function check is called.', {
      key,
      index: z.int().nonnegative(),
    }),
  'verdict.reached': () =>
    computed('verdict.reached', 'The critic concluded.', {
      node,
      digest,
      verdict: verdictSchema,
    }),
  'tool.logged': () =>
    recorded('tool.logged', 'A tool wrote a line for people.', { node, message: z.string() }),
  'cancel.requested': () =>
    recorded('cancel.requested', 'The run is to end as soon as it can.', {
      reason: z.string(),
    }),
  'timer.fired': () => recorded('timer.fired', 'Time passed that a decision waited for.', {}),
  'run.interrupted': () => computed('run.interrupted', 'The run ended early and can be resumed.', {}),
  'run.resumed': () =>
    recorded('run.resumed', 'Another process took the run up.', {
      rules: z.int().positive(),
      session,
      attended,
      memory: remembers,
      hooks,
      targets,
      traceparent: z.string().optional(),
      budget: taskSchema.shape.budget
        .unwrap()
        .optional()
        .meta({ description: 'Limits that take the place of those before.' }),
      reopen: z.boolean().optional().meta({ description: 'Nodes that ended without a result run again.' }),
    }),
  'run.forked': () =>
    recorded('run.forked', 'A new run goes on from the beginning of another, whose events stand before.', {
      runId: z.string(),
      origin: z.string().meta({ description: 'Id of the run whose events these are.' }),
      sequence: z.int().nonnegative().meta({ description: 'The last event that was taken over.' }),
      hash: z.string().meta({ description: 'SHA-256 of the canonical JSON of the events taken over.' }),
      rules: z.int().positive(),
      attended,
      memory: remembers,
      hooks,
      targets,
      traceparent: z.string().optional(),
      overrides: z.strictObject({
        goal: z.string().optional().meta({ description: 'The goal, with its inputs filled in.' }),
        provider: taskSchema.shape.provider.optional(),
        prices: taskSchema.shape.prices.unwrap().optional(),
        budget: taskSchema.shape.budget.unwrap().optional(),
        args: z
          .array(z.strictObject({ node, args: z.record(z.string(), jsonValue) }))
          .optional()
          .meta({ description: 'Arguments that take the place of those that the plan determines.' }),
      }),
    }),
  'run.finished': () =>
    computed('run.finished', 'The run ended.', {
      status: z.enum([
        'verified',
        'unverified',
        'planned',
        'failed',
        'rejected',
        'indeterminate',
        'budget',
        'waiting',
      ]),
      reason: z.string(),
      failure: failureSchema.optional(),
      output: z.strictObject({ node, digest }).optional(),
      partial: z
        .string()
        .optional()
        .meta({ description: 'What was found, where the output node is not done.' }),
    }),
});

/** The type of an event, such as `node.done`. */
export type EventType = keyof typeof eventSchemas;

/** The event of one type. */
export type EventOf<T extends EventType> = DeepReadonly<z.infer<(typeof eventSchemas)[T]>>;

/** Any event of a run. */
export type FlightEvent = { [T in EventType]: EventOf<T> }[EventType];

/** An event before it has its place and time. */
export type EventPayload = { [T in EventType]: Omit<EventOf<T>, 'seq' | 'at'> }[EventType];

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

let flightEventSchema: z.ZodType | undefined;

/** The event that a value read from a log is; throws a zod error where it is none. */
export function parseEvent(value: unknown): FlightEvent {
  const schemas = (): [z.ZodObject] => Object.values(eventSchemas) as unknown as [z.ZodObject];
  flightEventSchema ??= z.discriminatedUnion('type', schemas());
  return flightEventSchema.parse(value) as FlightEvent;
}

/** Whether an event follows from those before it, or is an input: what a person or a hook amends is one. */
export function provenanceOf(event: FlightEvent): Provenance {
  if (event.type === 'approval.decided' && event.expired === true) return 'computed';
  if (event.type === 'node.amended' && (event.by === 'person' || event.by === 'hook')) return 'recorded';
  return eventSchemas[event.type].meta()?.['provenance'] as Provenance;
}
