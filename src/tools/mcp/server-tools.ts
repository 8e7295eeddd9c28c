/*
 * The tools of one server, as they stand after the last list that was any good.
 *
 * 1. A list replaces the one before it only when it is whole and has a tool in it; else the old one stays.
 * 2. A tool that is not what it was when it was first seen in this run is quarantined until the run's end, whatever it
 *    turns into later.
 * 3. A call goes out only over a connection whose list was read.
 * 4. A server whose tools are known from the run's log is started by the first call of one.
 */
import type { McpServerSettings } from '../../contracts/mcp.ts';
import type { Tool, ToolContext, ToolSpec } from '../../contracts/tool.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { changedParts, pinTool, type ToolPin } from '../tool-pin.ts';
import { readCallResult } from './call-result.ts';
import type { McpHost } from './mcp-host.ts';
import { type QuarantinedTool, readToolList } from './read-tool-list.ts';
import { ServerConnection, SessionLost } from './server-connection.ts';

/** Between two lists that a server brings about. */
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [200, 30_000];
/** After so long without a list, the next one is not put off. */
const QUIET_MS = 60_000;
/** Connections that are listed for one call. */
const MAX_CONNECTIONS = 3;

/** How a server stands: its last list was good, or why it was not. */
export interface ServerReport {
  readonly server: string;
  readonly state: 'ready' | 'stale' | 'unavailable';
  /** Why its list could not be had; null where it could. */
  readonly reason: string | null;
  readonly quarantined: readonly QuarantinedTool[];
}

/** The tools of a server that are known before it is asked. */
export interface KnownTools {
  readonly callable: readonly ToolSpec[];
  /** Those that could not be called any more when they were last told of. */
  readonly retired: readonly ToolSpec[];
}

/** What `ServerTools` begins with. */
interface ServerOutset {
  /** What tools were earlier in the run. */
  readonly pins: ReadonlyMap<string, ToolPin>;
  readonly known?: KnownTools | undefined;
  /** Called after a list was taken or refused. */
  readonly onChange: () => void;
}

interface OfferedTool {
  readonly spec: ToolSpec;
  /** What the server calls it; null until it was asked. */
  readonly raw: string | null;
}

/** The tools of one server, kept as it changes them. */
export class ServerTools {
  readonly settings: McpServerSettings;
  readonly #connection: ServerConnection;
  readonly #onChange: () => void;
  /** What each tool was when it was first seen in this run. */
  readonly #pins: Map<string, ToolPin>;
  readonly #changed = new Map<string, string>();
  readonly #isKnown: boolean;
  #tools: ReadonlyMap<string, OfferedTool>;
  #retired: ReadonlySet<string>;
  #isAsked = false;
  #listQuarantined: readonly QuarantinedTool[] = [];
  #listedSession = 0;
  #reason: string | null = null;
  #refreshing: Promise<void> | null = null;
  #nextList: NodeJS.Timeout | null = null;
  /** How long the next list that the server brings about is put off; longer with each that follows soon. */
  #pauseMs = 0;
  #listedAt = -Infinity;
  #isClosed = false;

  constructor(
    name: string,
    settings: McpServerSettings,
    host: McpHost,
    { pins, known, onChange }: ServerOutset,
  ) {
    this.settings = settings;
    const { callable = [], retired = [] } = known ?? {};
    this.#isKnown = known !== undefined;
    this.#tools = new Map([...callable, ...retired].map((spec) => [spec.name, { spec, raw: null }]));
    this.#retired = new Set(retired.map((spec) => spec.name));
    this.#pins = new Map(pins);
    this.#onChange = onChange;
    this.#connection = new ServerConnection(name, settings, host, () => {
      this.#listLater();
    });
  }

  get name(): string {
    return this.#connection.name;
  }

  /** Whether its list was wanted yet, had or not. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Whether calls can wait for its list. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The tools that can be called. */
  tools(): Tool[] {
    return this.#toolsWhere((name) => !this.#isLost(name));
  }

  /** The tools that cannot be called because they changed during the run; each says so when it is called. */
  changedTools(): Tool[] {
    return this.#toolsWhere((name) => this.#isLost(name));
  }

  #isLost(name: string): boolean {
    return this.#changed.has(name) || this.#retired.has(name);
  }

  #toolsWhere(isWanted: (name: string) => boolean): Tool[] {
    const wanted = [...this.#tools.values()].filter(({ spec }) => isWanted(spec.name));
    return wanted.map(({ spec }) => ({
      spec,
      origin: `MCP server ${this.name}`,
      run: (args, context) => this.#call(spec.name, args, context),
    }));
  }

  report(): ServerReport {
    const changed = [...this.#changed].map(([tool, reason]) => ({ tool, reason }));
    const isThere = this.#tools.size > 0;
    return {
      server: this.name,
      state: this.#reason === null ? 'ready' : isThere ? 'stale' : 'unavailable',
      reason: this.#reason,
      quarantined: [...this.#listQuarantined, ...changed],
    };
  }

  /** Lists the tools, once; never rejects: what went wrong is in the report. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#list().finally(() => {
      this.#refreshing = null;
      this.#listedAt = performance.now();
      this.#onChange();
    });
    return this.#refreshing;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#nextList !== null) clearTimeout(this.#nextList);
    return this.#connection.close();
  }

  /** A change that is told while a list is under way may not be in it; a server that tells of one each time is not followed at its pace. */
  #listLater(): void {
    if (this.#isClosed || this.#nextList !== null) return;
    if (performance.now() - this.#listedAt > QUIET_MS) this.#pauseMs = 0;
    this.#nextList = setTimeout(() => {
      this.#nextList = null;
      void this.#listAgain();
    }, this.#pauseMs);
    this.#nextList.unref();
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, this.#pauseMs * 2));
  }

  /** A list that begins now. */
  async #listAgain(): Promise<void> {
    await this.#refreshing;
    if (!this.#isClosed) await this.refresh();
  }

  async #list(): Promise<void> {
    try {
      const { entries, session } = await this.#connection.listTools();
      const { tools, quarantined } = readToolList(this.name, this.settings, entries);
      if (tools.length === 0) throw this.#emptyList(entries.length, quarantined);
      this.#listedSession = session;
      this.#listQuarantined = quarantined;
      this.#tools = new Map(tools.map((listed) => [listed.spec.name, listed]));
      this.#retired = new Set();
      for (const { spec } of tools) this.#compare(spec.name, pinTool(spec));
      this.#reason = null;
    } catch (error) {
      this.#reason = error instanceof Error ? error.message : String(error);
    }
    this.#isAsked = true;
  }

  #compare(name: string, pin: ToolPin): void {
    const first = this.#pins.get(name);
    if (first === undefined) this.#pins.set(name, pin);
    else if (first.hash !== pin.hash) {
      this.#changed.set(name, `its ${changedParts(first, pin).join(' and ')} changed during the run`);
    }
  }

  #emptyList(listed: number, quarantined: readonly QuarantinedTool[]): OrchestratorError {
    const first = quarantined[0];
    const why =
      listed === 0
        ? 'it lists no tool'
        : `none of the ${listed} tools that it lists can be used${first === undefined ? '' : ` (${first.tool}: ${first.reason})`}`;
    return new OrchestratorError('mcp_unavailable', `MCP server ${this.name}: ${why}`, {
      details: { server: this.name },
    });
  }

  async #call(name: string, args: Json, context: ToolContext): Promise<Json> {
    try {
      return await this.#callOnce(name, args, context);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      const { effect, idempotent } = this.#tools.get(name)?.spec ?? {};
      if (effect === 'read' || idempotent === true) return this.#callOnce(name, args, context);
      // That the call was not made is the word of the server, or of something in between.
      throw new OrchestratorError('timeout', `${name}: ${error.message}; whether it was made is not known`, {
        cause: error,
      });
    }
  }

  async #needList(list: Promise<void>): Promise<void> {
    await list;
    if (this.#reason !== null) throw new OrchestratorError('mcp_unavailable', this.#reason);
  }

  async #callOnce(name: string, args: Json, context: ToolContext): Promise<Json> {
    // First calls that come together wait for one list.
    if (!this.#isAsked) await this.#needList(this.refresh());
    for (let tries = 0; (await this.#connection.connect()) !== this.#listedSession; tries++) {
      if (tries === MAX_CONNECTIONS)
        throw new OrchestratorError(
          'mcp_unavailable',
          `MCP server ${this.name}: it ends whenever it was listed`,
        );
      await this.#needList(this.#listAgain());
    }
    const changed = this.#changed.get(name);
    if (changed !== undefined) {
      throw new OrchestratorError('tool_unavailable', `${name} is quarantined: ${changed}`, {
        details: { quarantined: true },
      });
    }
    const { spec, raw = null } = this.#tools.get(name) ?? {};
    if (spec === undefined || raw === null) {
      throw new OrchestratorError('tool_unavailable', `MCP server ${this.name} has no tool ${name} any more`);
    }
    const result = await this.#connection.call(
      { raw, name, input: spec.input as JsonObject },
      args as JsonObject,
      context,
    );
    return readCallResult(name, result);
  }
}
