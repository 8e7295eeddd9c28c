import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Provider } from '../contracts/ports.ts';
import { type Tool, toolSpecSchema } from '../contracts/tool.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { isolateTool } from './isolate.ts';
import { toModuleError } from './module-error.ts';
import { loadNoted } from './modules-under-way.ts';

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/** What user modules are given. */
export interface ModuleEnvironment {
  /** Modules that replace what an import would find, by specifier, such as `sortie`: those of the running program. */
  readonly virtualModules?: Readonly<Record<string, unknown>>;
  /** True in the thread of an isolated tool, which is not isolated again. */
  readonly isThread?: boolean;
}

type Namespace = Readonly<Record<string, unknown>>;

/** Loads the modules of a task (.ts, .mts, .js, .mjs), each once. All paths are absolute. */
export class ModuleLoader {
  readonly #environment: ModuleEnvironment;
  readonly #modules = new Map<string, Promise<Namespace>>();

  constructor(environment: ModuleEnvironment = {}) {
    this.#environment = environment;
  }

  /**
   * Every tool that a module exports, each once; a default export may be a tool or a list of tools.
   * Throws `module_failed` (also where there is none), `tool_invalid`, `tool_conflict`.
   */
  async loadTools(file: string): Promise<Tool[]> {
    const namespace = await this.#load(file);
    const tools = new Set(Object.values(namespace).flat().filter(isTool));
    if (tools.size === 0) {
      throw new OrchestratorError('module_failed', `${file} exports no tool (${exportList(namespace)})`, {
        details: { file },
        hint: "Export the result of defineTool({ … }), imported from 'sortie'.",
      });
    }
    const names = new Set<string>();
    for (const { spec } of tools) {
      if (names.has(spec.name)) {
        throw new OrchestratorError(
          'tool_conflict',
          `${file} exports two tools that are called "${spec.name}"`,
          {
            details: { tool: spec.name, origins: [file] },
          },
        );
      }
      names.add(spec.name);
    }
    return [...tools].map((tool) => this.#adopt(tool, file));
  }

  /** One export of a module; throws `module_failed` where there is none of that name. */
  async loadExport(file: string, name: string): Promise<unknown> {
    const namespace = await this.#load(file);
    if (Object.hasOwn(namespace, name)) return namespace[name];
    const near = didYouMean(name, Object.keys(namespace));
    throw new OrchestratorError(
      'module_failed',
      `${file} has no export "${name}" (${exportList(namespace)})`,
      { details: { file, export: name }, hint: near === null ? 'Export it.' : `Did you mean ${near}?` },
    );
  }

  /** Everything that a module exports, by name; throws `module_failed`. */
  loadAll(file: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#load(file);
  }

  /** The provider that a module exports, its default first; throws `module_failed` where there is none, or several. */
  async loadProvider(file: string): Promise<Provider> {
    const namespace = await this.#load(file);
    if (isProvider(namespace['default'])) return namespace['default'];
    const providers = new Set(Object.values(namespace).filter(isProvider));
    const [provider] = providers;
    if (provider !== undefined && providers.size === 1) return provider;
    throw new OrchestratorError(
      'module_failed',
      `${file} exports ${providers.size === 0 ? 'no provider' : 'several providers and none as default'} (${exportList(namespace)})`,
      { details: { file }, hint: 'Export one as default, such as defineMock({ roles: { … } }).' },
    );
  }

  #load(file: string): Promise<Namespace> {
    let loading = this.#modules.get(file);
    if (loading === undefined) {
      loading = importModule(file, this.#environment.virtualModules ?? {});
      this.#modules.set(file, loading);
    }
    return loading;
  }

  #adopt(tool: Tool, file: string): Tool {
    const adopted: Tool = { ...tool, origin: file, run: tool.run.bind(tool) };
    if (tool.spec.isolate !== true || this.#environment.isThread === true) return adopted;
    return isolateTool(adopted, file);
  }
}

async function importModule(
  file: string,
  virtualModules: Readonly<Record<string, unknown>>,
): Promise<Namespace> {
  if (!EXTENSIONS.includes(extname(file))) {
    throw new OrchestratorError(
      'module_failed',
      `${file} is no module: its name must end in ${EXTENSIONS.join(', ')}`,
      {
        details: { file },
        hint: 'Give it one of these names, or name a module that imports it.',
      },
    );
  }
  if (!existsSync(file)) {
    throw new OrchestratorError('module_failed', `there is no module ${file}`, {
      details: { file },
      hint: 'Paths are relative to the task file.',
    });
  }
  const { createJiti } = await import('jiti');
  try {
    const jiti = createJiti(pathToFileURL(file).href, { virtualModules: { ...virtualModules } });
    const namespace: unknown = await loadNoted(file, () => jiti.import(file));
    return typeof namespace === 'object' && namespace !== null
      ? (namespace as Namespace)
      : { default: namespace };
  } catch (error) {
    throw toModuleError(file, error);
  }
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  const { spec, run } = value as { spec?: unknown; run?: unknown };
  return typeof run === 'function' && toolSpecSchema.safeParse(spec, { jitless: true }).success;
}

function isProvider(value: unknown): value is Provider {
  if (typeof value !== 'object' || value === null) return false;
  const { name, complete } = value as { name?: unknown; complete?: unknown };
  return typeof name === 'string' && typeof complete === 'function';
}

function exportList(namespace: Namespace): string {
  const names = Object.keys(namespace);
  return names.length === 0 ? 'it exports nothing' : `its exports: ${names.slice(0, 20).join(', ')}`;
}
