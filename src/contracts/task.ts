import { z } from 'zod';
import { agentTaskSchema, onToolFailureSchema, taskModeSchema } from './agent-task.ts';
import { priceSchema } from './budget.ts';
import { jsonValue } from './json-value.ts';
import { mcpSchema } from './mcp.ts';
import { policySchema } from './policy.ts';
import { modelLinkSchema, providerEntrySchema, providerSchema, rateLimitSchema } from './provider-entry.ts';

const count = z.int().nonnegative();
const positive = z.int().positive();
const fraction = z.number().min(0).max(1);
const templated = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** One deterministic check of the report; exactly one kind each. */
export const checkSchema = z.union([
  z.strictObject({ includes: templated }).meta({ description: 'Each item stands in the report as a word.' }),
  z
    .strictObject({ matches: z.string().min(1) })
    .meta({ description: 'A regular expression (flags: s, u) matches.' }),
  z
    .strictObject({ jsonSchema: z.union([z.record(z.string(), jsonValue), z.boolean()]) })
    .meta({ description: 'The output meets a JSON Schema.' }),
  z.strictObject({ minLength: count }).meta({ description: 'The report has at least so many characters.' }),
  z.strictObject({ maxLength: count }).meta({ description: 'The report has at most so many characters.' }),
  z
    .strictObject({ sections: templated })
    .meta({ description: 'Each item has a heading that names it as a word.' }),
  z
    .strictObject({
      function: z.string().regex(/^[^#]+#[A-Za-z_$][\w$]*$/, 'expected ./module.ts#exportName'),
    })
    .meta({ description: 'A function of a module, given the report, says whether it holds.' }),
  z.strictObject({ grounded: z.union([z.literal(true), z.strictObject({ tolerance: fraction })]) }).meta({
    description: 'Each number of the report stands in a result or in the goal, within a relative tolerance.',
  }),
]);

/** The kinds of checks. */
export const CHECK_KINDS = [
  'includes',
  'matches',
  'jsonSchema',
  'minLength',
  'maxLength',
  'sections',
  'function',
  'grounded',
] as const;

/** One deterministic check of the report. */
export type Check = z.infer<typeof checkSchema>;

const budgetSchema = z.strictObject({
  tokens: count.optional().meta({ description: 'Input and output tokens of all model calls.' }),
  toolCalls: count.optional().meta({ description: 'Calls of tools, retries included.' }),
  llmCalls: count.optional().meta({ description: 'Calls of models, retries included.' }),
  wallSeconds: z.number().nonnegative().optional().meta({ description: 'Seconds of running time.' }),
  costUsd: z.number().nonnegative().optional().meta({ description: 'US dollars; needs a known price.' }),
  economyAt: fraction.default(0.7).meta({ description: 'Pressure from which economy mode holds.' }),
  minimalAt: fraction.default(0.9).meta({ description: 'Pressure from which minimal mode holds.' }),
  finalReserve: fraction
    .default(0.05)
    .meta({ description: 'Share of tokens, model calls and cost held back to write up a stopped run.' }),
});

const verifySchema = z.strictObject({
  checks: z
    .array(checkSchema)
    .default([])
    .meta({ description: 'What must hold of the report; costs no tokens.' }),
  judge: z.enum(['off', 'on', 'required']).default('on').meta({
    description: 'Whether a model judges what passed the checks; required: checks alone are no pass.',
  }),
  rubric: z.string().optional().meta({ description: 'What the judge looks for, beside the goal.' }),
  passScore: fraction.default(0.7).meta({ description: 'Score from which the judge passes.' }),
  revisions: count
    .max(1)
    .default(1)
    .meta({ description: 'Revisions of the output node after a failed verdict.' }),
});

const limitsSchema = z.strictObject({
  maxNodes: positive.default(1000).meta({ description: 'Nodes of a plan.' }),
  foreachItems: positive
    .default(100)
    .meta({ description: 'Items of one foreach; also what it is estimated at.' }),
  planRounds: positive.default(3).meta({ description: 'Answers a planner may give until one is valid.' }),
  replans: count.default(2).meta({ description: 'Replans of a run.' }),
  attempts: positive
    .default(3)
    .meta({ description: 'Attempts of a node or model call at transient failures.' }),
  backoffMs: count
    .default(500)
    .meta({ description: 'First backoff; doubles each time, drawn with full jitter.' }),
  backoffCapMs: count.default(30_000).meta({ description: 'Longest backoff; caps Retry-After too.' }),
  nodeTimeoutMs: positive
    .default(120_000)
    .meta({ description: 'Time of one tool call without a timeout of its own.' }),
  modelTimeoutMs: positive.default(120_000).meta({ description: 'Time of one model call.' }),
  modelIdleTimeoutMs: positive
    .optional()
    .meta({ description: 'How long a model may send nothing; 60000 where not given.' }),
  graceMs: count.default(2000).meta({ description: 'How long an aborted call may take to return.' }),
  cooldownMs: count
    .default(300_000)
    .meta({ description: 'How long a provider without quota is left alone.' }),
  maxOutputTokens: positive.default(4096).meta({ description: 'Output tokens of one model call.' }),
});

const memorySchema = z.strictObject({
  contextChars: count.default(4000).meta({ description: 'Characters of context in one prompt.' }),
  enabled: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether runs recall earlier ones, and are remembered.' }),
  path: z.string().min(1).optional().meta({
    description: 'File that memories are kept in; memory.db beside the folder of the runs where not given.',
  }),
  scope: z
    .string()
    .min(1)
    .max(200)
    .default('default')
    .meta({ description: 'Whose memories: those of another scope are neither seen nor changed.' }),
  model: z.string().min(1).optional().meta({
    description: 'Folder of the embedding model; the one that comes with the package where not given.',
  }),
  similarity: z.enum(['fusion', 'vectors', 'words']).optional().meta({
    description:
      'Whether memories are compared by meaning (vectors), by shared words, or by both (fusion). Where not given: by both, and in runs that stand-ins such as mocks answer by words.',
  }),
  perTier: positive
    .max(20)
    .default(3)
    .meta({ description: 'Episodes of earlier runs, and facts, in one prompt at most.' }),
  timeoutMs: positive
    .default(2000)
    .meta({ description: 'How long a model call waits for what is recalled for it.' }),
  factsPerRun: count
    .default(100)
    .meta({ description: 'Facts that are kept of one run, the last found ones.' }),
  episodes: positive
    .default(500)
    .meta({ description: 'Episodes from which the oldest are summed up by a model.' }),
  facts: positive
    .default(5000)
    .meta({ description: 'Facts from which the oldest are summed up by a model.' }),
});

const webSchema = z.strictObject({
  privateHosts: z.array(z.string().min(1)).default([]).meta({
    description:
      'Hosts (localhost, *.corp.example), addresses and networks (10.0.0.0/8) that web tools may reach beside public ones.',
  }),
  search: z
    .strictObject({
      kind: z.enum(['searxng', 'brave', 'tavily']).meta({ description: 'Whose API the service speaks.' }),
      url: z.url().optional().meta({ description: 'Address of the service; searxng has no other.' }),
      apiKeyEnv: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'Environment variable that holds the key.' }),
    })
    .optional()
    .meta({ description: 'Where web_search asks.' }),
});

/** What the web tools of a task may reach. */
export type WebSettings = z.output<typeof webSchema>;

/** The task file, strict: unknown keys are refused. Defaults are filled in. */
export const taskSchema = z.strictObject({
  name: z.string().min(1).meta({ description: 'What the task is called.' }),
  goal: z.string().min(1).meta({ description: 'What is to be reached; {{input}} is filled in from inputs.' }),
  inputs: z
    .record(z.string(), jsonValue)
    .default({})
    .meta({ description: 'Values for the goal and the checks.' }),
  tools: z
    .array(z.string().min(1))
    .default([])
    .meta({ description: 'Modules (./tools.ts) or names of built-in tools; may be left out beside mcp.' }),
  provider: z.union([z.string().min(1), providerEntrySchema, z.array(providerSchema).min(1)]).meta({
    description:
      'Where models run: a provider by name or module (./mock.ts), or a chain of them to fall back on.',
  }),
  models: z
    .record(z.string(), z.union([z.string().min(1), z.array(modelLinkSchema).min(1)]))
    .default({})
    .meta({
      description:
        'Model per role: planner, worker, critic, economy, or a role of your own; a list is a chain of its own.',
    }),
  planner: z
    .strictObject({
      schema: z.enum(['open', 'strict']).default('open').meta({
        description:
          'What planners are held to: strict lays down ids, order and bounds of a plan, for small models.',
      }),
      nodes: positive.max(12).optional().meta({
        description: 'How many nodes a strict plan has; where not given the model chooses, 12 at most.',
      }),
    })
    .prefault({}),
  temperature: z.number().min(0).max(2).optional().meta({ description: 'Temperature of every model call.' }),
  reasoning: z
    .enum(['none', 'low', 'medium', 'high'])
    .optional()
    .meta({ description: 'How much models may think before they answer, where they can.' }),
  rateLimit: rateLimitSchema
    .prefault({})
    .meta({ description: 'Calls that the first provider is asked at most.' }),
  prices: z.record(z.string(), priceSchema).default({}).meta({ description: 'Price per model.' }),
  concurrency: positive.max(1000).default(5).meta({ description: 'Nodes that may run at the same time.' }),
  walk: z
    .enum(['level', 'eager'])
    .default('level')
    .meta({ description: 'Level by level, or as dependencies settle.' }),
  mode: taskModeSchema,
  agent: agentTaskSchema
    .optional()
    .meta({ description: 'How agents work. With it a plan may delegate to them.' }),
  onToolFailure: onToolFailureSchema,
  budget: budgetSchema.prefault({}),
  verify: verifySchema.prefault({}),
  memory: memorySchema.prefault({}),
  limits: limitsSchema.prefault({}),
  policy: policySchema.prefault({}),
  hooks: z.string().min(1).optional().meta({
    description:
      'Module (./hooks.ts) with preToolCall and postToolCall, which stand around every call of a tool.',
  }),
  mcp: mcpSchema.optional().meta({ description: 'MCP servers whose tools the run may call, by name.' }),
  web: webSchema
    .optional()
    .meta({ description: 'What the built-in web tools may reach, and where they search.' }),
  output: z
    .strictObject({
      file: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'Where the answer is written too, beside the run folder.' }),
    })
    .prefault({}),
});

/** A task as written, defaults not yet filled in. */
export type TaskInput = z.input<typeof taskSchema>;

/** A task with every default filled in: the configuration of a run. */
export type Task = z.output<typeof taskSchema>;
