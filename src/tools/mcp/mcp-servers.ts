import type { McpServerSettings } from '../../contracts/mcp.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { ToolPin } from '../tool-pin.ts';
import type { McpHost } from './mcp-host.ts';
import { type ServerReport, ServerTools } from './server-tools.ts';

/** The MCP servers of a task while it runs. */
export class McpServers {
  readonly #servers: readonly ServerTools[];
  #onChange: (() => void) | null = null;

  /** Nothing is started yet. `pins` say what tools were earlier in the run. */
  constructor(
    settings: Readonly<Record<string, McpServerSettings>>,
    host: McpHost,
    pins: ReadonlyMap<string, ToolPin> = new Map(),
  ) {
    const onChange = (): void => this.#onChange?.();
    this.#servers = Object.entries(settings).map(
      ([name, server]) => new ServerTools(name, server, host, { pins, onChange }),
    );
  }

  /** Starts every server and lists its tools; what fails is in the reports. From then on changes are told. */
  async open(onChange: () => void): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.refresh()));
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

  /** How each server stands, in the order of the task. */
  reports(): (ServerReport & { readonly isOptional: boolean; readonly tools: number })[] {
    return this.#servers.map((server) => ({
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
