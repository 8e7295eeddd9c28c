import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { FlightEvent, RunOptions, RunState } from '../index.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from '../kernel/json.ts';
import { nodeRows, summarizeRun } from '../views/summary.ts';
import { describeEvent } from './progress/event-line.ts';
import { readVersion } from '../compose/read-version.ts';

/** What the server works with. */
export interface McpServerHost {
  /** The folder that task files lie in; others are not run. */
  readonly folder: string;
  readonly runsFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its abort ends every run in order. */
  readonly signal: AbortSignal;
  /** Told of every run, so that whoever ends the server can wait for it. */
  readonly onRun?: (run: Promise<unknown>) => void;
}

const taskInput = z.strictObject({
  file: z.string().min(1).describe('Path of the task file, relative to the folder that the server serves.'),
  inputs: z
    .record(z.string(), z.json())
    .optional()
    .describe('Inputs of the task by name, in place of those in the file.'),
});

const runInput = z.strictObject({
  run: z
    .string()
    .min(1)
    .regex(/^[^/\\]+$/)
    .describe('Id of the run, a unique beginning of it, or "last".'),
});

const anything = z.json();

/** The product as an MCP server: run_task, plan_task and get_run, for whatever transport it is given. */
export async function createMcpServer(host: McpServerHost): Promise<McpServer> {
  const { McpServer } = await import('@modelcontextprotocol/server');
  const server = new McpServer(
    { name: 'sortie', title: 'Orchestrate', version: readVersion() },
    { instructions: 'Runs task files: a plan is drawn, run inside a hard budget, and its result verified.' },
  );
  server.registerTool(
    'run_task',
    {
      title: 'Run a task',
      description:
        'Runs a task file to its end: draws a plan, calls its tools inside its budget, verifies the result. Calls that need the consent of a person are not made: the run then ends as "waiting", and a person answers with `orchestrate approve`.',
      inputSchema: taskInput,
      outputSchema: z.looseObject({
        runId: z.string(),
        status: z.string(),
        reason: z.string(),
        answer: anything,
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    (args, context) =>
      answering(async () => {
        const { orchestrate } = await import('../compose.ts');
        const options = await runOptions(args, host, context);
        const running = orchestrate(options);
        host.onRun?.(running);
        const { runId, status, reason, answer, partial, verdict, failure, warnings, usage, exitCode } =
          await running;
        const told = { runId, status, reason, answer, partial, verdict, failure, warnings, usage };
        return { value: told, isError: exitCode !== 0 && status !== 'waiting' };
      }),
  );
  server.registerTool(
    'plan_task',
    {
      title: 'Draw a plan',
      description: 'Draws and checks the plan of a task file, without calling any of its tools.',
      inputSchema: taskInput,
      outputSchema: z.looseObject({ ok: z.boolean() }),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    (args, context) =>
      answering(async () => {
        const { planTask } = await import('../compose.ts');
        const planning = planTask(await runOptions(args, host, context));
        host.onRun?.(planning);
        const plan = await planning;
        return { value: plan, isError: !plan.ok };
      }),
  );
  server.registerTool(
    'get_run',
    {
      title: 'Look at a run',
      description:
        'What is known of a run: its status, its nodes, its verdict, what it took, and its result.',
      inputSchema: runInput,
      outputSchema: z.looseObject({ runId: z.string(), status: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ run }) =>
      answering(async () => {
        const { openRunStore } = await import('../compose.ts');
        const events = await openRunStore(host.runsFolder).read(run);
        const { usageByRole, usageByModel, nodes, ...summary } = summarizeRun(events);
        const rows = nodeRows(events).map(({ id, tool, status, errorCode, note }) => ({
          id,
          tool,
          status,
          errorCode,
          note,
        }));
        const value = {
          ...summary,
          states: Object.fromEntries(nodes),
          nodes: rows,
          usageByRole,
          usageByModel,
        };
        return { value };
      }),
  );
  return server;
}

interface Answer {
  readonly value: unknown;
  readonly isError?: boolean;
}

/** The result of a call; what the caller did wrong is told in its words, what else went wrong as an error of the protocol. */
async function answering(work: () => Promise<Answer>) {
  try {
    const { value, isError = false } = await work();
    const structuredContent = withoutUndefined(value);
    const text = JSON.stringify(structuredContent, null, 2);
    return { content: [{ type: 'text' as const, text }], structuredContent, ...(isError ? { isError } : {}) };
  } catch (error) {
    if (!(error instanceof OrchestratorError) || error.code === 'internal') throw error;
    const text = `${error.message}\n${error.hint}`;
    return { content: [{ type: 'text' as const, text }], isError: true };
  }
}

function withoutUndefined(value: unknown): JsonObject {
  const plain: Json = toPlainJson(JSON.parse(JSON.stringify(value)));
  return isJsonObject(plain) ? plain : { value: plain };
}

async function runOptions(
  { file, inputs = {} }: z.output<typeof taskInput>,
  { folder, runsFolder, env, signal }: McpServerHost,
  context: ServerContext,
): Promise<RunOptions> {
  return {
    task: await taskPath(file, folder),
    inputs,
    ...{ runsFolder, env },
    signal: eitherSignal(context.mcpReq.signal, signal),
    onEvent: progressTeller(context),
  };
}

/** A task file may load modules, which are code: only those of the folder are run. */
async function taskPath(file: string, folder: string): Promise<string> {
  const path = resolve(folder, file);
  const [place, root] = await Promise.all([realpath(path).catch(() => path), realpath(folder)]);
  const inside = relative(root, place);
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(root, inside) !== place) {
    throw new OrchestratorError('usage', `${file} lies outside of the folder that is served`, {
      hint: 'Name a task file of that folder, by its path in it.',
    });
  }
  return path;
}

function eitherSignal(first: AbortSignal, second: AbortSignal): AbortSignal {
  return AbortSignal.any([first, second]);
}

/** Tells the client of notable events, where it wants to be told. */
function progressTeller({ mcpReq }: ServerContext): (event: FlightEvent, state: RunState) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  return (event, state) => {
    const line = describeEvent(event, state);
    const message = line === null ? describeStep(event) : `${line.label}: ${line.text}`;
    if (message === null || mcpReq.signal.aborted) return;
    void mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken, progress: event.seq + 1, message },
      })
      .catch(() => undefined);
  };
}

function describeStep(event: FlightEvent): string | null {
  if (event.type === 'run.started') return `run: ${event.runId}`;
  if (event.type === 'node.started') return `node: ${event.node} starts`;
  return null;
}
