import { z } from 'zod';
import type { Json } from '../kernel/json.ts';
import { jsonValue } from './json-value.ts';
import type { KeptPlaces } from './kept-places.ts';
import type { AskRequest } from './model.ts';
import type { ChildGroup, ProcessRequest } from './process.ts';
import type { JsonSchema, SchemaIssue } from './schema.ts';

const jsonSchemaShape = z.union([z.record(z.string(), jsonValue), z.boolean()]);

/** What calling a tool does to the world. */
export type ToolEffect = 'read' | 'write' | 'irreversible';

/** What an argument names outside of the run, which policy and taint look at. */
export const ARGUMENT_KINDS = ['path', 'url', 'host', 'command', 'code', 'recipient'] as const;

/** What an argument names: a path of the workspace, an address, a host, a command, code to be run, or who gets something. */
export type ArgumentKind = (typeof ARGUMENT_KINDS)[number];

/** A tool as the catalogue lists it. `costHint` is a weight for estimates, never money. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  readonly costHint: number;
  readonly effect: ToolEffect;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
  readonly interactive?: boolean;
  readonly isolate?: boolean;
  readonly cache?: boolean;
  readonly timeoutMs?: number;
  /** Calls of the tool may not start faster than this. */
  readonly rateLimit?: { readonly perMinute: number };
  /** What arguments name, by the argument's name; of a list it holds for every item. */
  readonly argumentKinds?: Readonly<Record<string, ArgumentKind>>;
}

/** The schema of a tool in the catalogue. */
export const toolSpecSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  input: jsonSchemaShape,
  output: jsonSchemaShape.optional(),
  costHint: z.number(),
  effect: z.enum(['read', 'write', 'irreversible']),
  idempotent: z.boolean().optional(),
  openWorld: z.boolean().optional(),
  interactive: z.boolean().optional(),
  isolate: z.boolean().optional(),
  cache: z.boolean().optional(),
  timeoutMs: z.number().optional(),
  rateLimit: z.strictObject({ perMinute: z.number() }).optional(),
  argumentKinds: z.record(z.string(), z.enum(ARGUMENT_KINDS)).optional(),
}) as unknown as z.ZodType<ToolSpec>;

/** W3C Trace Context to be handed on with a request: as headers of HTTP, or in `params._meta` of MCP. */
export interface TraceCarrier {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Whether a path of the workspace (with slashes, `.` for itself), or an absolute address, may be reached. */
export type PermitsTarget = (kind: 'path' | 'url', target: string) => boolean;

/** What a tool's `run` is given beside its arguments. Its members may be taken out one by one; a copy by spread has not all of them. */
export interface ToolContext {
  /** Aborted at the deadline of the call, and when the run is cancelled. */
  readonly signal: AbortSignal;
  /** The key of this effect within its run, such as `send/1`; stable over resumes. */
  readonly key: string;
  /** For services that take an idempotency key: the same for every attempt of this call, and no other run's. */
  readonly idempotencyKey: string;
  /** Asks a model in a role; throws a typed error where the answer was cut short, refused or empty. */
  readonly ask: (role: string, request: AskRequest) => Promise<string>;
  /** Writes a line for people into the flight log. */
  readonly log: (message: string) => void;
  /** Starts a program that dies with this call (or with the run), whatever it starts itself included. */
  readonly spawn: (request: ProcessRequest) => Promise<ChildGroup>;
  /**
   * Whether policy lets this call reach what an argument leads on to: a path with its links resolved, each file of a
   * folder, where a redirect leads. Left out, everything is permitted.
   */
  readonly permits?: PermitsTarget | undefined;
  /** What this call may not change, or not even see; nothing where left out. */
  readonly kept?: KeptPlaces | undefined;
  /** The folder that the run may work in: the task file's own. */
  readonly workspace: string;
  /** Continues the trace of this call wherever it leads; none where tracing is turned off. */
  readonly trace?: TraceCarrier | undefined;
}

/** A tool that can be called: its spec, and the code behind it. */
export interface Tool {
  readonly spec: ToolSpec;
  /** Where the tool comes from, such as the path of its module. */
  readonly origin?: string;
  /** Ways in which a result breaks the output schema, where that says more than `spec.output` can. */
  checkOutput?(value: Json): readonly SchemaIssue[];
  /** One call; `args` hold to the spec's input schema. May throw a ToolError to give its failure a class. */
  run(args: Json, context: ToolContext): unknown;
}
