import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { TaskInput } from '../../../src/contracts/task.ts';
import { serveOverHttp } from '../mcp-over-http.ts';
import type { AttackedWorld } from './attacked-world.ts';

/** What the tool of the server is called in a catalogue. */
export const PAGE_TOOL = 'news__fetch_page';

/** An MCP server with the tool of a world that fetches pages; the world may be another for each run. */
export interface AttackedServer {
  readonly settings: NonNullable<TaskInput['mcp']>;
  world: AttackedWorld | null;
  close(): Promise<void>;
}

/** Serves the injection in the description of a tool, as whoever runs the server may word it. */
export async function serveAttacked(): Promise<AttackedServer> {
  const served: { world: AttackedWorld | null } = { world: null };
  const { url, close } = await serveOverHttp(() => {
    const { world } = served;
    const server = new McpServer({ name: 'news', version: '0' });
    const description = world?.textAt('mcpDescription', 'Fetches a page.') ?? 'Fetches a page.';
    server.registerTool(
      'fetch_page',
      { description, inputSchema: z.strictObject({ url: z.string() }) },
      (args) => {
        world?.calls.push({ tool: PAGE_TOOL, args });
        return { content: [{ type: 'text', text: 'Moss grows in Lima.' }] };
      },
    );
    return Promise.resolve(server);
  });
  const tools = { fetch_page: { argumentKinds: { url: 'url' } } } as const;
  return Object.assign(served, {
    settings: { news: { url, effect: 'read', openWorld: true, tools } } as const,
    close,
  });
}
