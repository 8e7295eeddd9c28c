import type { McpServerSettings } from '../../contracts/mcp.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { ToolPin } from '../tool-pin.ts';
import type { McpHost } from './mcp-host.ts';
import { type KnownTools, type ServerReport, ServerTools } from './server-tools.ts';

/** The MCP servers of a task while it runs. */
export class McpServers {
  readonly #servers: readonly ServerTools[];
  #onChange: (() => void) | null = null;

  /** Nothing is started yet. `pins` say what tools were earlier in the run, `known` whose tools need no list until one is called. */
  constructor(
    settings: Readonly<Record<string, McpServerSettings>>,
    host: McpHost,
    pins: ReadonlyMap<string, ToolPin> = new Map(),
    known: ReadonlyMap<string, KnownTools> = new Map(),
  ) {
    const onChange = (): void => this.#onChange?.();
    this.#servers = Object.entries(settings).map(
      ([name, server]) => new ServerTools(name, server, host, { pins, known: known.get(name), onChange }),
    );
  }

  /** Starts every server that is not known and lists its tools; what fails is in the reports. From then on changes are told. */
  async open(onChange: () => void): Promise<void> {
    await Promise.all(this.#servers.filter(({ isKnown }) => !isKnown).map((server) => server.refresh()));
    this.#onChange = onChange;
  }

  /** The tools of all servers that can be called. */
  tools(): Tool[] {
    return this.#servers.flatMap((server) => server.tools());
  }

  /** The tools that cannot be called because they changed during the run. */
  changedTools(): Tool[] {
    return this.#servers.flatMap((server) => server.changedTools());
  }

  /** The tools of one server that can be called. */
  toolsOf(name: string): Tool[] {
    return this.#servers.find((server) => server.name === name)?.tools() ?? [];
  }

  /** How each server stands that was asked for its tools, in the order of the task. */
  reports(): (ServerReport & { readonly isOptional: boolean; readonly tools: number })[] {
    const asked = this.#servers.filter(({ isAsked }) => isAsked);
    return asked.map((server) => ({
      ...server.report(),
      isOptional: server.settings.optional,
      tools: server.tools().length,
    }));
  }

  /** Ends every session. */
  async close(): Promise<void> {
    this.#onChange = null;
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}
