import { resolve } from 'node:path';
import type { Price } from '../contracts/budget.ts';
import type { Provider } from '../contracts/ports.ts';
import { type ChainLink, chainOf } from '../contracts/provider-chain.ts';
import type { Task, TaskInput } from '../contracts/task.ts';
import type { Tool } from '../contracts/tool.ts';
import { isModulePath, type LoadedTask, loadTask, loadTaskText } from '../config/load.ts';
import { taskInvalid, type TaskPath, type TaskProblem } from '../config/problem.ts';
import { CredentialMask } from '../flight/mask.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { type Json, toPlainJson } from '../kernel/json.ts';
import { PROVIDER_NAMES } from '../providers/provider-names.ts';
import { type BuiltinSettings, refuseMissingSettings } from '../tools/builtin/builtin-settings.ts';
import { BUILTIN_TOOL_NAMES, isBuiltinName } from '../tools/builtin/names.ts';
import { RunShelf } from '../tools/builtin/run-shelf.ts';
import { Catalogue, type PublishedCatalogue } from '../tools/catalogue.ts';
import { type ModuleEnvironment, ModuleLoader } from '../tools/load.ts';
import type { Hooks } from '../contracts/hooks.ts';
import { withGuards } from '../contracts/policy.ts';
import { serverOfName } from '../tools/mcp/tool-name.ts';
import { policyProblems } from '../tools/policy.ts';
import { delegateTool, refuseAgentNames } from './agent-tools.ts';
import type { PublishedTools } from './catalogue-notes.ts';
import { checkOptions } from './check-options.ts';
import { knownSecrets } from './known-secrets.ts';
import { LiveTools } from './live-tools.ts';
import type { Quarantined } from './own-pins.ts';
import { loadFunctionChecks } from './function-checks.ts';
import { loadHooks } from './task-hooks.ts';
import { loadProviders, type ProviderSources, RECORDED_PREFIX } from './load-providers.ts';

/** A task given as a value; `tools` and `provider` may be left out where they are given as code. */
export type TaskValue = Omit<TaskInput, 'tools' | 'provider'> &
  Partial<Pick<TaskInput, 'tools' | 'provider'>>;

/** What a run is prepared from. */
export interface PrepareOptions {
  /** Path of a task file, or the task itself. */
  readonly task: string | TaskValue;
  /** Overrides by path in dots, such as `budget.toolCalls` or `input.cities`. */
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  /** Inputs of the task by name, as they are; they come before flags. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Environment variables that override the file, none by default, and hold the keys, else those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder of a task that is given as a value; the working folder by default. */
  readonly workspace?: string;
  /** Tools beside those of the task. */
  readonly tools?: readonly Tool[];
  /** Tools of agents that this process has: `clarify`, `session_search`. Given, the run is an agent's. */
  readonly ownTools?: readonly Tool[];
  /** Takes the place of the task's provider. */
  readonly provider?: Provider;
}

/** Everything that a run needs, loaded and checked; no model and no tool was called. */
export interface Prepared {
  readonly task: Task;
  readonly goal: string;
  /** Path of the task file; null for a task that was given as a value. */
  readonly file: string | null;
  readonly folder: string;
  readonly catalogue: PublishedTools;
  readonly tools: Catalogue;
  /** What of the tools may be told now. */
  readonly publish: () => PublishedCatalogue;
  /** Tools that are not what they were when the run was first told of them; none of a new run. */
  readonly quarantined: readonly Quarantined[];
  /** The providers of the task, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly functionChecks: Awaited<ReturnType<typeof loadFunctionChecks>>;
  /** What masks the credentials of the providers, those that are fetched while the run goes on included. */
  readonly credentials: CredentialMask;
  /** What its built-in tools share in the one run that it is prepared for. */
  readonly shelf: RunShelf;
  /** The hooks of the task's module. */
  readonly hooks: Hooks;
  /** The tools that may change while the run goes on; null where the task names no MCP server. */
  readonly live: LiveTools | null;
}

/** Where modules and recorded runs come from. */
export interface PreparationSources {
  readonly modules: ModuleEnvironment;
  readonly readRun: ProviderSources['readRun'];
}

/** Loads a task with its tools, checks and provider; throws `task_invalid` with every problem that it finds. */
export async function prepareTask(options: PrepareOptions, sources: PreparationSources): Promise<Prepared> {
  checkOptions(options);
  const prepared = await prepareLoaded(await loadOptions(options), options, sources);
  const task = { ...prepared.task, policy: withGuards(prepared.task.policy) };
  return { ...prepared, task, file: typeof options.task === 'string' ? options.task : null };
}

/** Loads tools, checks and provider of a task that was read; throws `task_invalid` with every problem that it finds. */
export async function prepareLoaded(
  loaded: Pick<LoadedTask, 'task' | 'goal' | 'folder' | 'problemAt'>,
  options: Pick<PrepareOptions, 'tools' | 'provider' | 'env' | 'ownTools'>,
  { modules, readRun }: PreparationSources,
): Promise<Prepared> {
  const { folder } = loaded;
  const loader = new ModuleLoader(modules);
  const problems: TaskProblem[] = [];
  const note = (path: TaskPath, error: OrchestratorError): void => {
    problems.push(loaded.problemAt(path, error.message, error.hint));
  };
  const env = options.env ?? process.env;
  const shelf = new RunShelf();
  const builtins = builtinSettings(loaded.task, env, shelf);
  const tools = await loadTools(loaded.task, { folder, builtins, given: options.tools ?? [], loader }, note);
  if (isAgentTask(loaded.task, options)) addAgentTools(tools, loaded, options, note);
  const functionChecks = await loadFunctionChecks(loaded.task, folder, loader, note);
  const hooks = await loadHooks(loaded.task, folder, loader).catch((error: unknown): Hooks => {
    if (!(error instanceof OrchestratorError)) throw error;
    note(['hooks'], error);
    return {};
  });
  const credentials = new CredentialMask();
  credentials.add(...knownSecrets(loaded.task, env));
  const providers = await loadProviders(
    loaded.task,
    { loader, folder, env, given: options.provider, readRun, onCredential: (key) => credentials.add(key) },
    note,
  );
  for (const { path, message, hint } of policyProblems(loaded.task.policy, tools.names())) {
    // What a server has is known when it runs.
    if (isOfServer(loaded.task, path)) continue;
    problems.push(loaded.problemAt(path, message, hint));
  }
  if (problems.length > 0) throw taskInvalid(problems);
  const task = { ...loaded.task, prices: resolvePrices(loaded.task, providers) };
  const publish = () => tools.publish(grantAgents(task));
  return {
    task,
    goal: loaded.goal,
    file: null,
    folder,
    catalogue: publish(),
    publish,
    quarantined: [],
    tools,
    providers,
    functionChecks,
    credentials,
    shelf,
    hooks,
    live:
      task.mcp === undefined
        ? null
        : new LiveTools({ task, folder, env, credentials, catalogue: tools, publish }, task.mcp),
  };
}

/** The catalogue that a run begins with: as it is once its servers have been asked. */
export function catalogueOf({ live, catalogue }: Prepared): PublishedTools {
  return live?.catalogue ?? catalogue;
}

function isOfServer({ mcp, policy }: Task, [, list, index]: TaskPath): boolean {
  const name = policy[list as 'allow' | 'deny']?.[Number(index)] ?? '';
  return serverOfName(name, Object.keys(mcp ?? {})) !== undefined;
}

async function loadOptions(options: PrepareOptions): Promise<LoadedTask> {
  const given = (options.tools ?? []).map((tool) => tool.spec.name);
  const load = {
    builtins: [...BUILTIN_TOOL_NAMES, ...given],
    providers: options.provider === undefined ? PROVIDER_NAMES : [...PROVIDER_NAMES, options.provider.name],
    providerPrefixes: [RECORDED_PREFIX],
    flags: options.flags ?? {},
    inputs: options.inputs ?? {},
    env: options.env ?? {},
  };
  if (typeof options.task === 'string') return loadTask(options.task, load);
  const { task, provider } = options;
  const filled = {
    ...task,
    tools: task.tools ?? given,
    ...(task.provider === undefined && provider !== undefined ? { provider: provider.name } : {}),
  };
  // JSON is YAML: the same reader finds the same problems.
  return loadTaskText(textOf(filled), '(task)', resolve(options.workspace ?? '.'), load);
}

function textOf(task: object): string {
  try {
    return JSON.stringify(task, null, 2);
  } catch (error) {
    // Says where what JSON cannot hold stands.
    toPlainJson(task);
    throw error;
  }
}

function isAgentTask({ mode, agent }: Task, { ownTools }: Pick<PrepareOptions, 'ownTools'>): boolean {
  return mode === 'agent' || agent !== undefined || ownTools !== undefined;
}

function addAgentTools(
  tools: Catalogue,
  { task }: Pick<LoadedTask, 'task'>,
  { ownTools = [] }: Pick<PrepareOptions, 'ownTools'>,
  note: (path: TaskPath, error: OrchestratorError) => void,
): void {
  try {
    refuseAgentNames(tools.names());
    for (const tool of [...ownTools, delegateTool]) tools.add(tool);
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    note(task.agent === undefined ? ['tools'] : ['agent'], error);
  }
}

/** A whole task of an agent is its own delegation: a list of allowed tools says what the agent may call. */
function grantAgents({ mode, policy }: Task): Task['policy'] {
  const { allow } = policy;
  return mode === 'agent' && allow !== undefined
    ? { ...policy, allow: [...allow, delegateTool.spec.name] }
    : policy;
}

interface ToolSources {
  readonly folder: string;
  readonly builtins: BuiltinSettings;
  readonly given: readonly Tool[];
  readonly loader: ModuleLoader;
}

async function loadTools(
  task: Task,
  { folder, builtins, given, loader }: ToolSources,
  note: (path: TaskPath, error: OrchestratorError) => void,
): Promise<Catalogue> {
  const catalogue = new Catalogue(given);
  const names = new Set(given.map((tool) => tool.spec.name));
  for (const [index, entry] of task.tools.entries()) {
    if (names.has(entry)) continue;
    try {
      const tools = isModulePath(entry)
        ? await loader.loadTools(resolve(folder, entry))
        : await loadBuiltins(entry, builtins);
      for (const tool of tools) catalogue.add(tool);
    } catch (error) {
      if (!(error instanceof OrchestratorError)) throw error;
      note(['tools', index], error);
    }
  }
  return catalogue;
}

/** What the built-in tools of a task are made with. A recorded task may be older than some of its settings. */
function builtinSettings(
  { web, policy }: Task,
  env: BuiltinSettings['env'],
  shelf: RunShelf,
): BuiltinSettings {
  const confinement = { sandbox: policy.sandbox, path: env?.['PATH'] };
  return { ...(web === undefined ? {} : { web }), env: env ?? {}, confinement, shelf };
}

async function loadBuiltins(name: string, settings: BuiltinSettings): Promise<Tool[]> {
  if (!isBuiltinName(name)) return [];
  const { builtinTools } = await import('../tools/builtin/builtin-tools.ts');
  refuseMissingSettings(name, settings);
  return builtinTools([name], settings);
}

/** The price of each model that the task may use, as far as it is known; a budget in dollars needs all of them. */
function resolvePrices(task: Task, providers: ReadonlyMap<string, Provider>): Task['prices'] {
  const prices: Record<string, Price> = { ...task.prices };
  for (const { provider, model } of linksOf(task)) {
    const price = prices[model] ?? providers.get(provider)?.priceOf?.(model);
    if (price !== undefined) prices[model] = price;
    else if (task.budget.costUsd !== undefined) {
      throw new OrchestratorError(
        'price_unknown',
        `budget.costUsd is set, but the price of ${model === '' ? `the default model of ${provider}` : `model ${model}`} is unknown`,
      );
    }
  }
  return prices;
}

/** Every place that the task may ask a model at. */
function linksOf(task: Task): readonly ChainLink[] {
  const roles = new Set([
    'planner',
    'critic',
    'worker',
    ...Object.keys(task.models).filter((role) => role !== 'economy'),
  ]);
  return [...roles].flatMap((role) => [...chainOf(task, role, false), ...chainOf(task, role, true)]);
}
