import { z } from 'zod';
import { ARGUMENT_KINDS } from './tool.ts';

const positive = z.int().positive();
const toolEffect = z.enum(['read', 'write', 'irreversible']);
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable');

/** Never with two underscores in a row or at an end: those divide the server from the tool in the name of a tool. */
const serverName = z
  .string()
  .max(24)
  .regex(/^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/, 'expected letters, digits and single _ or - between them');

const toolSettings = z.strictObject({
  effect: toolEffect.optional().meta({ description: 'What a call does to the world; your word is final.' }),
  openWorld: z
    .boolean()
    .optional()
    .meta({ description: 'Whether its results come from outside and are not to be trusted.' }),
  idempotent: z.boolean().optional().meta({ description: 'Whether a second equal call changes nothing.' }),
  argumentKinds: z
    .record(z.string(), z.enum(ARGUMENT_KINDS))
    .optional()
    .meta({ description: 'What arguments name, for policy: path, url, host, command, code, recipient.' }),
});

const shared = {
  only: z.array(z.string().min(1)).min(1).optional().meta({
    description: 'The tools that are taken, by the names that the server gives them; all where not given.',
  }),
  effect: toolEffect.default('irreversible').meta({
    description: 'What calls of its tools do to the world; the annotations of the server may only raise it.',
  }),
  openWorld: z.boolean().default(true).meta({
    description: 'Whether results of its tools come from outside and are not to be trusted.',
  }),
  trustAnnotations: z.boolean().default(false).meta({
    description:
      'Takes the word of the server for what its tools do: readOnlyHint, destructiveHint, idempotentHint, openWorldHint.',
  }),
  tools: z
    .record(z.string(), toolSettings)
    .default({})
    .meta({ description: 'What holds of single tools, by the names that the server gives them.' }),
  optional: z
    .boolean()
    .default(false)
    .meta({ description: 'Runs go on without the server where it cannot be reached.' }),
  protocol: z.enum(['legacy', 'auto']).optional().meta({
    description:
      'How a session begins: with initialize (legacy), or with a probe for the protocol of 2026 first (auto). By default auto over HTTP, legacy over stdio.',
  }),
  startTimeoutMs: positive
    .default(30_000)
    .meta({ description: 'How long the server may take to answer at first, and to list its tools.' }),
  timeoutMs: positive
    .default(60_000)
    .meta({ description: 'How long a call may go on without an answer or a sign of progress.' }),
  totalTimeoutMs: positive
    .default(600_000)
    .meta({ description: 'How long a call may take at most, whatever progress it shows.' }),
};

const stdioServer = z.strictObject({
  command: z.string().min(1).meta({ description: 'The program of a local server, spoken to over stdio.' }),
  args: z.array(z.string()).default([]).meta({ description: 'Its arguments.' }),
  env: z.record(variableName, z.string()).default({}).meta({
    description:
      'Variables of its environment, beside PATH, HOME and the like. They stand in the log: name keys under passEnv.',
  }),
  passEnv: z
    .array(variableName)
    .default([])
    .meta({ description: 'Variables of this environment that it is given too, such as keys.' }),
  cwd: z.string().min(1).optional().meta({ description: 'Its folder; that of the task file by default.' }),
  ...shared,
});

const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).meta({ description: 'Address of a server over streamable HTTP.' }),
  headers: z.record(z.string(), z.string()).default({}).meta({
    description: 'Headers of every request. They stand in the log: name keys under headersEnv.',
  }),
  headersEnv: z.record(z.string(), variableName).default({}).meta({
    description: 'Headers whose values are in variables of the environment, such as Authorization.',
  }),
  oauth: z
    .strictObject({
      issuer: z.url().meta({ description: 'The authorization server; no other is sent the credentials.' }),
      clientIdEnv: variableName.meta({
        description: 'Variable of the environment that holds the id of the client.',
      }),
      clientSecretEnv: variableName.meta({
        description: 'Variable of the environment that holds its secret.',
      }),
      scope: z.string().min(1).optional().meta({ description: 'What it asks for, divided by spaces.' }),
    })
    .optional()
    .meta({
      description:
        'Gets its tokens by OAuth 2 with the credentials of a client; there is no person to log in.',
    }),
  ...shared,
});

/** The MCP servers of a task, by name. */
export const mcpSchema = z.record(serverName, z.union([stdioServer, httpServer]));

/** A server that is started as a program. */
export type StdioServer = z.output<typeof stdioServer>;

/** A server that is reached over HTTP. */
export type HttpServer = z.output<typeof httpServer>;

/** How one MCP server is reached, and what is held of its tools; defaults filled in. */
export type McpServerSettings = StdioServer | HttpServer;
