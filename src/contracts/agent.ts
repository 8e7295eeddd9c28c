import { z } from 'zod';
import type { DeepReadonly } from './deep-readonly.ts';

const count = z.int().nonnegative();
const positive = z.int().positive();
const fraction = z.number().min(0).max(1);

/** What an agent may do, logged with its start: it takes the place that an accepted plan has for other calls. */
export const agentGrantSchema = z.strictObject({
  tools: z.array(z.string()).meta({ description: 'Names of the tools that it may call; no others exist.' }),
  effects: z.array(z.enum(['read', 'write', 'irreversible'])).meta({ description: 'Effects they may have.' }),
  approve: z
    .enum(['irreversible', 'write', 'all', 'none'])
    .meta({ description: 'Which calls ask a person; irreversible ones always do.' }),
  iterations: count.meta({ description: 'Turns of the model that it may take, those of its children too.' }),
  depth: positive.meta({ description: 'Its place below the person: 1, or 2 for a child.' }),
});

/** What an agent may do: its tools, their effects, whom it asks, and how long it may go on. */
export type AgentGrant = DeepReadonly<z.infer<typeof agentGrantSchema>>;

/** How an agent works; every value has a default. */
export const agentSettingsSchema = z.strictObject({
  style: z.enum(['tools', 'json']).default('tools').meta({
    description: 'Whether the model calls tools by its API, or by a JSON command in its text.',
  }),
  rounds: positive.default(15).meta({ description: 'Rounds until it has to write up what it has.' }),
  failedRounds: positive.default(3).meta({ description: 'Failed rounds in a row that end it.' }),
  scoreEvery: count
    .default(3)
    .meta({ description: 'A model is asked how complete the task is every so many rounds; 0: never.' }),
  completeAt: fraction.default(0.95).meta({ description: 'Completion from which it is done.' }),
  iterations: positive.default(500).meta({ description: 'Turns of the model in one session.' }),
  childIterations: positive.default(50).meta({ description: 'Turns of the model that a child may take.' }),
  depth: positive.max(2).default(2).meta({ description: 'How deep agents may delegate; 1: not at all.' }),
  children: count.max(50).default(3).meta({ description: 'Children that work at the same time.' }),
  callsPerTurn: positive.max(100).default(20).meta({ description: 'Tool calls of one turn.' }),
  callAttempts: positive.default(2).meta({ description: 'Attempts of a call at transient failures.' }),
  resultChars: positive.default(20_000).meta({ description: 'Characters of one result in the context.' }),
  compressAt: fraction.default(0.5).meta({ description: 'Share of the window at which it compresses.' }),
  compressHardAt: fraction.default(0.85).meta({ description: 'Share at which it compresses harder.' }),
  keepFirst: count.default(3).meta({ description: 'First messages that compression leaves alone.' }),
  keepLast: positive.default(20).meta({ description: 'Last messages that compression leaves alone.' }),
  recallChars: count.default(2000).meta({ description: 'Characters of earlier exchanges; 0: none.' }),
  memoryChars: count.default(4000).meta({ description: 'Characters that its memory may hold.' }),
  contextFileChars: count.default(20_000).meta({ description: 'Characters of all context files.' }),
  authorised: count
    .max(1000)
    .default(0)
    .meta({ description: 'Calls that are made without asking at first, irreversible ones excepted.' }),
});

/** How an agent works, defaults filled in. */
export type AgentSettings = DeepReadonly<z.output<typeof agentSettingsSchema>>;

/** What an agent is told before its first turn; fixed for its session. */
export const briefingSchema = z.strictObject({
  identity: z.string().optional().meta({ description: 'Who it is; a default where not given.' }),
  memory: z.array(z.string()).default([]).meta({ description: 'Entries of its own memory.' }),
  files: z
    .array(z.strictObject({ name: z.string(), text: z.string() }))
    .default([])
    .meta({ description: 'Context files such as AGENTS.md, nearest first.' }),
});

/** What an agent is told before its first turn. */
export type Briefing = DeepReadonly<z.output<typeof briefingSchema>>;

/** The tools of an agent that hand work to another agent. */
export const CHILD_TOOLS: ReadonlySet<string> = new Set(['delegate', 'start_agent', 'message_agent']);

/** The notes of an agent before and after one or more changes of it. */
export interface NotesChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Why an agent ended, or has to write up what it has. */
export const STOP_REASONS = [
  'completed',
  'rounds',
  'failures',
  'repeated_call',
  'repeated_cycle',
  'iterations',
  'budget',
  'policy',
  'aborted',
] as const;

/** Why an agent ended. Only `completed` says that it did what it was asked. */
export type StopReason = (typeof STOP_REASONS)[number];

/** The states of a todo. */
export const TODO_STATES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;

/** One item of an agent's list of what is to be done. */
export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: (typeof TODO_STATES)[number];
}
