// Runs in a worker thread: loads one tool and calls it when told to.
import { parentPort, workerData } from 'node:worker_threads';
import * as zod from 'zod';
import type { ChildGroup } from '../contracts/process.ts';
import type { Tool, ToolContext } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { callTool } from './call-tool.ts';
import {
  settle,
  type Settled,
  type ThreadInput,
  type ThreadOutput,
  type ThreadSettings,
  unwrap,
} from './isolate-messages.ts';
import { ModuleLoader } from './load.ts';
import type { ProcessGroups } from './processes.ts';

const settings = workerData as ThreadSettings;
const asks = new Map<number, (answer: Settled<string>) => void>();
let askCount = 0;

/** The end of this thread is the end of the input of their watcher, and so of all of them. */
let processes: Promise<ProcessGroups> | null = null;

function send(output: ThreadOutput): void {
  parentPort?.postMessage(output);
}

/** What user modules import from this program, loaded in this thread from beside this file. */
async function loadPackages(): Promise<Record<string, unknown>> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const load = (name: string): Promise<unknown> =>
    import(new URL(`../${name}.${extension}`, import.meta.url).href);
  return { sortie: await load('index'), 'sortie/testing': await load('testing'), zod };
}

async function loadTool(): Promise<Tool> {
  const loader = new ModuleLoader({ virtualModules: await loadPackages(), isThread: true });
  const tool = (await loader.loadTools(settings.file)).find(({ spec }) => spec.name === settings.tool);
  if (tool !== undefined) return tool;
  throw new OrchestratorError(
    'tool_unavailable',
    `${settings.file} holds no tool "${settings.tool}" any more`,
  );
}

function createContext(
  { call, key, idempotencyKey, workspace, trace }: Extract<ThreadInput, { type: 'call' }>,
  started: Set<ChildGroup>,
): ToolContext {
  return {
    // Never aborted: whoever aborts a call ends the whole thread.
    signal: new AbortController().signal,
    key,
    idempotencyKey,
    workspace,
    trace,
    log: (message) => send({ type: 'log', call, message }),
    spawn: async (request) => {
      processes ??= import('./processes.ts').then((module) => new module.ProcessGroups());
      const group = await (await processes).spawn({ cwd: workspace, ...request });
      if (request.lifetime !== 'run') started.add(group);
      return group;
    },
    ask: async (role, request) => {
      const ask = ++askCount;
      const answer = await new Promise<Settled<string>>((resolve) => {
        asks.set(ask, resolve);
        send({ type: 'ask', call, ask, role, request });
      });
      return unwrap(answer);
    },
  };
}

const loading = loadTool();
// Every call reports it; without this the thread would end before the first call could.
loading.catch(() => undefined);

async function runCall(input: Extract<ThreadInput, { type: 'call' }>): Promise<void> {
  const started = new Set<ChildGroup>();
  const run = async () => callTool(await loading, input.args, createContext(input, started));
  const settled = await settle(run());
  await Promise.all([...started].map((group) => group.stop()));
  send({ type: 'ended', call: input.call, ...settled });
}

parentPort?.on('message', (input: ThreadInput) => {
  switch (input.type) {
    case 'call':
      void runCall(input);
      return;
    case 'answer':
      asks.get(input.ask)?.(input);
      asks.delete(input.ask);
  }
});
