import type { Tool, ToolSpec } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { isGranted, type ToolPolicy } from './policy.ts';

/** What a run is told of the catalogue: the tools it may call and the names of those it may not, both by name. */
export interface PublishedCatalogue {
  /** SHA-256 of the canonical JSON of everything else here. */
  readonly hash: string;
  readonly tools: readonly ToolSpec[];
  readonly withheld: readonly string[];
}

/** The tools that exist. It may change while the process lives; a run sees what was published last. */
export class Catalogue {
  readonly #tools = new Map<string, Tool>();
  /** Tools that are found by those who hold their names, and published no more. */
  readonly #retired = new Set<string>();

  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.add(tool);
  }

  /** Throws `tool_conflict`, naming both origins, where the name is taken, and `tool_invalid` where it cannot be isolated. */
  add(tool: Tool): void {
    const { name, isolate } = tool.spec;
    const known = this.#tools.get(name);
    if (known !== undefined) {
      throw new OrchestratorError(
        'tool_conflict',
        `two tools are called "${name}": one of ${originOf(known)}, one of ${originOf(tool)}`,
        { details: { tool: name, origins: [originOf(known), originOf(tool)] } },
      );
    }
    if (isolate === true && tool.origin === undefined) {
      throw new OrchestratorError(
        'tool_invalid',
        `tool "${name}" asks for isolation, which needs a module to load it from again`,
        { details: { tool: name }, hint: 'Move the tool to a module and name that under `tools`.' },
      );
    }
    this.#tools.set(name, tool);
  }

  /** True where there was such a tool. */
  remove(name: string): boolean {
    this.#retired.delete(name);
    return this.#tools.delete(name);
  }

  /** Publishes a tool no more; it can still be found, and says itself what became of it. */
  retire(name: string): void {
    if (this.#tools.has(name)) this.#retired.add(name);
  }

  /** Publishes a tool again that was retired. */
  restore(name: string): void {
    this.#retired.delete(name);
  }

  /** The tool of that name, granted or not. */
  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** The names of all tools, granted or not, in the order in which they were added. */
  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** The catalogue as policy leaves it; the hash does not depend on the order in which tools were added. */
  publish(policy: ToolPolicy): PublishedCatalogue {
    const specs = [...this.#tools.values()]
      .map((tool) => tool.spec)
      .filter(({ name }) => !this.#retired.has(name));
    specs.sort((a, b) => (a.name < b.name ? -1 : 1));
    const tools = specs.filter((spec) => isGranted(spec, policy));
    const withheld = specs.filter((spec) => !isGranted(spec, policy)).map((spec) => spec.name);
    return { hash: hashJson({ tools, withheld } as unknown as Json), tools, withheld };
  }
}

function originOf(tool: Tool): string {
  return tool.origin ?? 'this program';
}
