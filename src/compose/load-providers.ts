import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { isModulePath } from '../config/load.ts';
import type { TaskPath } from '../config/problem.ts';
import type { Provider } from '../contracts/ports.ts';
import { listProviders, type NamedProvider } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import type { FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { ModuleLoader } from '../tools/load.ts';

/** What providers are found with. */
export interface ProviderSources {
  readonly loader: ModuleLoader;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes the place of every provider of the task. */
  readonly given: Provider | undefined;
  /** Told of each key that a command prints, before it is used. */
  readonly onCredential: (key: string) => void;
  /** The events of a finished run, for `recorded:<run>`. */
  readonly readRun: (run: string) => Promise<readonly FlightEvent[]>;
}

/** What a provider is called that answers from a finished run. */
export const RECORDED_PREFIX = 'recorded:';

const COMMAND_TIMEOUT_MS = 30_000;

/** The providers of a task by id; `problem` is told of each that cannot be had. */
export async function loadProviders(
  task: Task,
  sources: ProviderSources,
  problem: (path: TaskPath, error: OrchestratorError) => void,
): Promise<ReadonlyMap<string, Provider>> {
  const loaded = new Map<string, Provider>();
  for (const [index, named] of listProviders(task).entries()) {
    try {
      const provider = sources.given ?? (await loadProvider(named, task, sources));
      const limit = named.rateLimit ?? (index === 0 ? task.rateLimit : {});
      loaded.set(named.id, await limited(provider, limit));
    } catch (error) {
      if (!(error instanceof OrchestratorError)) throw error;
      problem(Array.isArray(task.provider) ? ['provider', index] : ['provider'], error);
    }
  }
  return loaded;
}

async function limited(provider: Provider, limit: Task['rateLimit']): Promise<Provider> {
  if (limit.requestsPerMinute === undefined && limit.tokensPerMinute === undefined) return provider;
  const { rateLimited } = await import('../providers/rate-limit.ts');
  return rateLimited(provider, limit);
}

async function loadProvider(
  named: NamedProvider,
  { limits }: Pick<Task, 'limits'>,
  sources: ProviderSources,
): Promise<Provider> {
  const { name, baseUrl, api, apiKeyEnv, model, credentialCommand, stream } = named;
  const { modelIdleTimeoutMs: idleTimeoutMs } = limits;
  if (isModulePath(name)) return sources.loader.loadProvider(resolve(sources.folder, name));
  if (name.startsWith(RECORDED_PREFIX)) {
    const { createRecorded } = await import('../providers/recorded.ts');
    return createRecorded(name, await sources.readRun(name.slice(RECORDED_PREFIX.length)));
  }
  const { resolveProvider } = await import('../providers/resolve.ts');
  const credential = credentialCommand === undefined ? null : new Credential(credentialCommand, sources);
  const provider = await resolveProvider(name, {
    env: sources.env,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(api === undefined ? {} : { api }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(model === undefined ? {} : { defaultModel: model }),
    ...(stream === undefined ? {} : { isStreamed: stream }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(credential === null ? {} : { apiKey: () => credential.current() }),
  });
  return credential === null ? provider : withRefresh(provider, credential);
}

function withRefresh(provider: Provider, credential: Credential): Provider {
  return {
    name: provider.name,
    complete: (request, context) => provider.complete(request, context),
    priceOf: (model) => provider.priceOf?.(model),
    refreshCredential: () => credential.refresh(),
  };
}

/** A key that a command prints: fetched when it is first needed, and again when it was refused. */
class Credential {
  readonly #command: string;
  readonly #sources: Pick<ProviderSources, 'folder' | 'onCredential'>;
  #key: Promise<string> | null = null;

  constructor(command: string, sources: Pick<ProviderSources, 'folder' | 'onCredential'>) {
    this.#command = command;
    this.#sources = sources;
  }

  current(): Promise<string> {
    this.#key ??= this.#fetch();
    return this.#key;
  }

  async refresh(): Promise<void> {
    this.#key = this.#fetch();
    await this.#key;
  }

  async #fetch(): Promise<string> {
    const key = await this.#print();
    if (key === '') throw new OrchestratorError('model_unauthorized', 'credentialCommand printed nothing');
    this.#sources.onCredential(key);
    return key;
  }

  async #print(): Promise<string> {
    try {
      const options = { cwd: this.#sources.folder, timeout: COMMAND_TIMEOUT_MS };
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', this.#command], options);
      return stdout.trim();
    } catch (cause) {
      // What the command prints may hold the key: only its end is told.
      throw new OrchestratorError('model_unauthorized', 'credentialCommand failed', { cause });
    }
  }
}
