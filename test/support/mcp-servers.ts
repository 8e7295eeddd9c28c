import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { mcpSchema } from '../../src/contracts/mcp.ts';
import type { ToolContext } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import { McpServers } from '../../src/tools/mcp/mcp-servers.ts';
import { ProcessGroups } from '../../src/tools/processes.ts';
import type { ToolPin } from '../../src/tools/tool-pin.ts';
import { createToolContext } from './tool-context.ts';

type Settings = Readonly<Record<string, z.input<typeof mcpSchema>[string]>>;

/** Path of the server that misbehaves. */
export const HOSTILE = fileURLToPath(new URL('../fixtures/mcp/hostile-server.mjs', import.meta.url));

/** The settings of a server that misbehaves in one way; it may write to a file. */
export function hostile(mode: string, file = '', more: object = {}): Settings[string] {
  return { command: process.execPath, args: [HOSTILE, mode, file], startTimeoutMs: 8000, ...more };
}

/** Servers as a run has them, with a folder of their own and a count of the changes that they told. */
export class McpWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'sortie-mcp-'));
  readonly groups = new ProcessGroups();
  readonly servers: McpServers;
  changes = 0;

  constructor(
    settings: Settings,
    pins?: ReadonlyMap<string, ToolPin>,
    env: Record<string, string | undefined> = process.env,
  ) {
    const host = {
      folder: this.folder,
      env,
      version: '0',
      spawn: (request: Parameters<ProcessGroups['spawn']>[0]) => this.groups.spawn(request),
    };
    this.servers = new McpServers(mcpSchema.parse(settings), host, pins);
  }

  async open(): Promise<this> {
    await this.servers.open(() => this.changes++);
    return this;
  }

  names(): string[] {
    return this.servers.tools().map(({ spec }) => spec.name);
  }

  /** Whether a tool is quarantined, and why. */
  reasonOf(name: string): string | undefined {
    const all = this.servers.reports().flatMap(({ quarantined }) => quarantined);
    return all.find(({ tool }) => tool === name)?.reason;
  }

  async call(name: string, args: Json = {}, context: Partial<ToolContext> = {}): Promise<Json> {
    const tool = this.servers.tools().find(({ spec }) => spec.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return (await tool.run(args, createToolContext(context))) as Json;
  }

  async close(): Promise<void> {
    await this.servers.close();
    await this.groups.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Asks again and again until the answer is yes. */
export async function eventually(ask: () => Promise<boolean>, limitMs = 10_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await ask())) {
    if (performance.now() > end) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until something holds. */
export async function until(holds: () => boolean, limitMs = 5000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
