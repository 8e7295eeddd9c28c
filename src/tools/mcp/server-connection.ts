import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { McpServerSettings } from '../../contracts/mcp.ts';
import type { ToolContext } from '../../contracts/tool.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { quoteText } from './clean-text.ts';
import type { McpHost } from './mcp-host.ts';
import { openTransport } from './open-transport.ts';
import { ProcessTransport } from './process-transport.ts';
import { isSessionLost, toCallError } from './call-error.ts';

/** Most pages of a list: a server that always names a next one would never be done. */
const MAX_PAGES = 200;
/** Most entries that are read of a list, good or bad. */
const MAX_ENTRIES = 20_000;
const LIST_CHANGED_DEBOUNCE_MS = 50;
/** A connection that is being made when the server is closed is given so long to find out. */
const CLOSE_GRACE_MS = 2000;

const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** The server says that it does not know the session. */
export class SessionLost extends OrchestratorError {}

interface Session {
  readonly client: Client;
  readonly transport: Transport;
  readonly number: number;
}

/** One server: connected when it is first needed, anew over a fresh transport where the connection was lost. */
export class ServerConnection {
  readonly name: string;
  readonly #settings: McpServerSettings;
  readonly #host: McpHost;
  readonly #onListChanged: () => void;
  #opening: Promise<Session> | null = null;
  /** That of the connection that is being made. */
  #transport: Transport | null = null;
  #sessions = 0;
  #isClosed = false;

  constructor(name: string, settings: McpServerSettings, host: McpHost, onListChanged: () => void) {
    this.name = name;
    this.#settings = settings;
    this.#host = host;
    this.#onListChanged = onListChanged;
  }

  /** The number of the connection, which is made where there is none; it rises with each new one. */
  async connect(): Promise<number> {
    return (await this.#session()).number;
  }

  /** Every entry of the server's list, unread, and the number of the connection that it came over. */
  async listTools(): Promise<{ entries: unknown[]; session: number }> {
    const { client, transport, number } = await this.#session();
    const deadline = performance.now() + this.#settings.startTimeoutMs;
    const entries: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    try {
      for (let pages = 0; ; pages++) {
        if (pages === MAX_PAGES) throw new Error(`its list has more than ${MAX_PAGES} pages`);
        const left = Math.ceil(deadline - performance.now());
        if (left <= 0)
          throw new Error(`it did not list its tools within ${this.#settings.startTimeoutMs} ms`);
        const params = cursor === undefined ? {} : { cursor };
        const page = await client.request({ method: 'tools/list', params }, pageSchema, { timeout: left });
        entries.push(...page.tools);
        if (entries.length > MAX_ENTRIES) throw new Error(`it lists more than ${MAX_ENTRIES} tools`);
        cursor = page.nextCursor ?? undefined;
        if (cursor === undefined) break;
        if (cursors.has(cursor)) throw new Error(`its list names the page ${quoteText(cursor, 40)} twice`);
        cursors.add(cursor);
      }
    } catch (error) {
      throw this.#unavailable(error, transport);
    }
    return { entries, session: number };
  }

  /** One call; its idle time is counted anew with each sign of progress. Throws typed errors only. */
  async call(
    tool: { readonly raw: string; readonly name: string; readonly input: JsonObject },
    args: JsonObject,
    { signal, trace }: Pick<ToolContext, 'signal' | 'trace'>,
  ): Promise<CallToolResult> {
    const session = await this.#session();
    const { client, transport } = session;
    const { timeoutMs, totalTimeoutMs } = this.#settings;
    try {
      return await client.callTool(
        {
          name: tool.raw,
          arguments: args,
          ...(trace === undefined ? {} : { _meta: { ...trace } }),
        },
        {
          signal,
          timeout: Math.min(timeoutMs, totalTimeoutMs),
          maxTotalTimeout: totalTimeoutMs,
          resetTimeoutOnProgress: true,
          onprogress: () => undefined,
          // Its output schema is left out: results are held to it by the one validator that holds all tools to theirs.
          toolDefinition: { name: tool.raw, inputSchema: tool.input as { type: 'object' } },
        },
      );
    } catch (error) {
      if (transport.sessionId !== undefined && (await isSessionLost(error))) {
        this.#forget(session);
        throw new SessionLost(
          'mcp_unavailable',
          `MCP server ${this.name} does not know the session any more`,
          { cause: error },
        );
      }
      const ending = transport instanceof ProcessTransport ? transport.ending : null;
      throw await toCallError(error, {
        server: this.name,
        tool: tool.name,
        ending,
        isAborted: signal.aborted,
      });
    }
  }

  /** Ends the session and the processes of the server, and does not wait for what is only beginning. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#opening?.catch(() => null);
    this.#opening = null;
    await this.#transport?.close().catch(() => undefined);
    const session = await withinTime(opening ?? Promise.resolve(null), CLOSE_GRACE_MS);
    await session?.client.close().catch(() => undefined);
  }

  #session(): Promise<Session> {
    this.#refuseClosed();
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new OrchestratorError('aborted', `MCP server ${this.name} was closed`);
  }

  async #open(): Promise<Session> {
    const { Client } = await import('@modelcontextprotocol/client');
    const number = ++this.#sessions;
    const mode = this.#settings.protocol ?? ('url' in this.#settings ? 'auto' : 'legacy');
    const client = new Client(
      { name: 'sortie', version: this.#host.version },
      {
        versionNegotiation: { mode },
        listChanged: {
          tools: {
            autoRefresh: false,
            debounceMs: LIST_CHANGED_DEBOUNCE_MS,
            onChanged: () => {
              if (this.#sessions === number && !this.#isClosed) this.#onListChanged();
            },
          },
        },
      },
    );
    const transport = await openTransport(this.name, this.#settings, this.#host);
    this.#refuseClosed();
    this.#transport = transport;
    client.onclose = () => {
      if (this.#sessions === number) this.#opening = null;
    };
    // What cannot be read of a message is that server's matter; requests have their own time.
    client.onerror = () => undefined;
    try {
      await client.connect(transport, { timeout: this.#settings.startTimeoutMs });
      this.#refuseClosed();
    } catch (error) {
      const failure = this.#unavailable(error, transport);
      await transport.close().catch(() => undefined);
      throw failure;
    } finally {
      this.#transport = null;
    }
    return { client, transport, number };
  }

  /** The next call connects anew, over a fresh transport. */
  #forget({ client, number }: Session): void {
    if (this.#sessions === number) this.#opening = null;
    void client.close().catch(() => undefined);
  }

  #unavailable(error: unknown, transport: Transport): OrchestratorError {
    if (error instanceof OrchestratorError) return error;
    const isProcess = transport instanceof ProcessTransport;
    const mask = this.#host.mask ?? ((text: string) => text);
    const late = `it did not answer within ${this.#settings.startTimeoutMs} ms (startTimeoutMs)`;
    const reported = (): string =>
      isLate(error) ? late : quoteText(mask(messageOf(error)), 300).slice(1, -1);
    const reason = (isProcess ? transport.ending : null) ?? reported();
    const printed =
      isProcess && transport.stderrTail !== ''
        ? `; it printed ${quoteText(mask(lastLines(transport.stderrTail)), 400)}`
        : '';
    return new OrchestratorError('mcp_unavailable', `MCP server ${this.name}: ${reason}${printed}`, {
      details: { server: this.name },
      cause: error,
    });
  }
}

function isLate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'REQUEST_TIMEOUT';
}

/** What it comes to, or null after some time. */
async function withinTime<T>(promise: Promise<T>, limitMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMs, null);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What an error and its causes say, each once: what went wrong with a connection stands in the innermost. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const messages = [error.message];
  for (let { cause } = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (messages.at(-1)?.endsWith(cause.message) !== true) messages.push(cause.message);
  }
  return messages.join(': ');
}

function lastLines(text: string): string {
  return text.split('\n').slice(-4).join('\n');
}
