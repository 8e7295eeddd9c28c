/*
 * The tools of a run that may change while it goes on: those of its MCP servers, in the catalogue beside the others.
 *
 * 1. Nothing is started before `open`, and no server then of which policy grants no tool; everything is gone after `close`.
 * 2. A tool that was in the catalogue can still be found by those who hold its name; calling it says what became of it.
 * 3. What is published is what can be called; what cannot is named with its reason.
 */
import type { HttpServer, McpServerSettings } from '../contracts/mcp.ts';
import type { Task } from '../contracts/task.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Catalogue, PublishedCatalogue } from '../tools/catalogue.ts';
import { isServerNeeded } from '../tools/mcp/is-server-needed.ts';
import type { McpServers } from '../tools/mcp/mcp-servers.ts';
import { serverOfName } from '../tools/mcp/tool-name.ts';
import type { OriginPins, PinChanges } from '../tools/pin-file.ts';
import { policyProblems } from '../tools/policy.ts';
import { pinTool, type ToolPin } from '../tools/tool-pin.ts';
import { type PublishedTools, withNotes } from './catalogue-notes.ts';
import type { Quarantined } from './own-pins.ts';
import { pinPath } from './pin-path.ts';
import { readVersion } from './read-version.ts';
import type { DriveOptions } from './run-options.ts';
import { RunProcesses } from './run-processes.ts';

interface Parts {
  readonly task: Task;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly catalogue: Catalogue;
  readonly publish: () => PublishedCatalogue;
}

/** How one server stands, and how its tools differ from what is pinned of them. */
export interface CheckedServer {
  readonly server: string;
  readonly state: 'ready' | 'stale' | 'unavailable';
  readonly reason: string | null;
  readonly tools: readonly ToolSpec[];
  readonly quarantined: readonly { readonly tool: string; readonly reason: string }[];
  /** Null where nothing is pinned of it yet. */
  readonly changes: PinChanges | null;
}

/** The tools of a task's MCP servers, started when a run opens them. */
export class LiveTools {
  readonly #parts: Parts;
  readonly #settings: Readonly<Record<string, McpServerSettings>>;
  readonly #processes = new RunProcesses();
  /** MCP tools that stand in the catalogue, callable or not. */
  readonly #known = new Set<string>();
  #noted: Quarantined[] = [];
  #servers: McpServers | null = null;
  #opening: Promise<void> | null = null;
  #changes: readonly CheckedServer[] = [];
  #published: PublishedTools | null = null;
  #tell: ((published: PublishedTools) => void) | null = null;

  constructor(parts: Parts, settings: Readonly<Record<string, McpServerSettings>>) {
    this.#parts = parts;
    this.#settings = settings;
  }

  /**
   * Starts the servers, once. Throws `mcp_unavailable` where one cannot be had that is not optional, `task_invalid` where
   * policy names a tool that there is not. `before` are the events of the run that is taken up.
   */
  open(
    options: Pick<DriveOptions, 'runsFolder' | 'store'>,
    before: readonly FlightEvent[] = [],
  ): Promise<void> {
    this.#opening ??= this.#open(options, before);
    return this.#opening;
  }

  /** What there is now, as it goes into the log. */
  get catalogue(): PublishedTools {
    return this.#published ?? this.#parts.publish();
  }

  /** Says with whatever is published that these tools, which come from elsewhere, cannot be called. */
  note(quarantined: readonly Quarantined[]): void {
    this.#noted = [...quarantined];
  }

  /** Hands on every change of what there is. */
  follow(tell: (published: PublishedTools) => void): void {
    this.#tell = tell;
  }

  /** What people are told of at the end of a run. */
  get warnings(): readonly string[] {
    const { quarantined = [], unavailable = [], changed = [] } = this.catalogue;
    return [
      ...unavailable.map(({ server, reason }) => withServer(server, reason)),
      ...quarantined.map(({ tool, reason }) => `${tool} cannot be called: ${reason}`),
      ...changed.map(({ tool, parts }) => `${tool}: its ${parts.join(' and ')} changed since it was pinned`),
    ];
  }

  /** How each server stands; with `accept`, what there is now is pinned. */
  async check(
    options: Pick<DriveOptions, 'runsFolder' | 'store'>,
    accept: boolean,
  ): Promise<readonly CheckedServer[]> {
    await this.#start(this.#settings, new Map());
    const checked = await this.#compare(options, accept);
    return checked;
  }

  /** Ends every server with all that it has started. */
  async close(): Promise<void> {
    this.#tell = null;
    await this.#opening?.catch(() => undefined);
    await this.#servers?.close();
    await this.#processes.close();
  }

  async #open(
    options: Pick<DriveOptions, 'runsFolder' | 'store'>,
    before: readonly FlightEvent[],
  ): Promise<void> {
    try {
      const { policy } = this.#parts.task;
      const needed = Object.entries(this.#settings).filter(([name, server]) =>
        isServerNeeded(name, server, policy),
      );
      const servers = await this.#start(Object.fromEntries(needed), pinsOf(before));
      const lost = servers.reports().find(({ state, isOptional }) => state === 'unavailable' && !isOptional);
      if (lost !== undefined)
        throw new OrchestratorError('mcp_unavailable', withServer(lost.server, lost.reason ?? ''));
      this.#changes = await this.#compare(options, false);
      this.#publish();
      this.#refuseUnknownNames(servers);
    } catch (error) {
      void this.#servers?.close();
      await this.#processes.close();
      throw error;
    }
  }

  async #start(
    settings: Readonly<Record<string, McpServerSettings>>,
    pins: ReadonlyMap<string, ToolPin>,
  ): Promise<McpServers> {
    const { McpServers } = await import('../tools/mcp/mcp-servers.ts');
    const { folder, env } = this.#parts;
    const host = {
      ...{ folder, env, version: readVersion() },
      spawn: (request: Parameters<RunProcesses['spawn']>[0]) => this.#processes.spawn(request),
    };
    const servers = new McpServers(settings, host, pins);
    this.#servers = servers;
    await servers.open(() => {
      const before = JSON.stringify(this.catalogue);
      this.#publish();
      if (JSON.stringify(this.catalogue) !== before) this.#tell?.(this.catalogue);
    });
    return servers;
  }

  #publish(): void {
    const servers = this.#servers;
    if (servers === null) return;
    const { catalogue, publish } = this.#parts;
    const callable = new Set<string>();
    const taken: { tool: string; reason: string }[] = [];
    const changedTools = servers.changedTools();
    for (const tool of [...servers.tools(), ...changedTools]) {
      const { name } = tool.spec;
      const isOurs = this.#known.has(name);
      if (!isOurs && catalogue.find(name) !== undefined) {
        taken.push({ tool: name, reason: 'another tool has this name' });
        continue;
      }
      if (isOurs) catalogue.remove(name);
      catalogue.add(tool);
      this.#known.add(name);
      if (!changedTools.includes(tool)) callable.add(name);
    }
    for (const name of this.#known) {
      if (callable.has(name)) catalogue.restore(name);
      else catalogue.retire(name);
    }
    const reports = servers.reports();
    const quarantined = [...this.#noted, ...reports.flatMap((report) => report.quarantined), ...taken];
    const unavailable = reports.flatMap(({ server, state, reason }) =>
      state === 'ready' ? [] : [{ server, reason: reason ?? state }],
    );
    const changed = this.#changes
      .flatMap(({ changes }) => changes?.changed ?? [])
      .map(({ tool, parts }) => ({ tool, parts: [...parts] }));
    this.#published = withNotes(publish(), { quarantined, unavailable, changed });
  }

  /** A name in the policy that no tool has would deny, or grant, nothing. */
  #refuseUnknownNames(servers: McpServers): void {
    if (servers.reports().some(({ state }) => state !== 'ready')) return;
    const { task, catalogue } = this.#parts;
    const names = [
      ...catalogue.names(),
      ...servers.reports().flatMap(({ quarantined }) => quarantined.map(({ tool }) => tool)),
    ];
    const started = servers.reports().map(({ server }) => server);
    const isAsked = (name: string): boolean => {
      const server = serverOfName(name, Object.keys(this.#settings));
      return server === undefined || started.includes(server);
    };
    const [problem] = policyProblems(task.policy, names).filter(
      ({ tool }) => tool === undefined || isAsked(tool),
    );
    if (problem === undefined) return;
    const { path, message, hint } = problem;
    throw new OrchestratorError(
      'task_invalid',
      `${path.join('.')}: ${message}`,
      hint === undefined ? {} : { hint },
    );
  }

  async #compare(
    options: Pick<DriveOptions, 'runsFolder' | 'store'>,
    accept: boolean,
  ): Promise<CheckedServer[]> {
    const path = pinPath(options);
    const { comparePins, PinFile } = await import('../tools/pin-file.ts');
    const file = path === null ? null : new PinFile(path);
    const fresh = new Map<string, OriginPins>();
    const checked: CheckedServer[] = [];
    for (const report of this.#servers?.reports() ?? []) {
      const { server, state, reason, quarantined } = report;
      const tools = this.#servers?.toolsOf(server).map(({ spec }) => spec) ?? [];
      const origin = originOf(server, this.#settings[server]);
      const now: OriginPins = Object.fromEntries(tools.map((spec) => [spec.name, pinTool(spec)]));
      const pinned = (await file?.read(origin)) ?? null;
      const changes = pinned === null || state !== 'ready' ? null : comparePins(pinned, now);
      if (state === 'ready') {
        if (accept || pinned === null) fresh.set(origin, now);
        else if (changes !== null && changes.added.length > 0) fresh.set(origin, { ...now, ...pinned });
      }
      checked.push({ server, state, reason, tools, quarantined, changes });
    }
    if (fresh.size > 0) await file?.write(fresh);
    return checked;
  }
}

function withServer(server: string, reason: string): string {
  const start = `MCP server ${server}`;
  return reason.startsWith(start) ? reason : `${start}: ${reason}`;
}

/** What each tool was when it was first published in a run. */
function pinsOf(events: readonly FlightEvent[]): ReadonlyMap<string, ToolPin> {
  const pins = new Map<string, ToolPin>();
  for (const event of events) {
    if (event.type !== 'catalogue.published') continue;
    for (const spec of event.tools) if (!pins.has(spec.name)) pins.set(spec.name, pinTool(spec));
  }
  return pins;
}

/** Two tasks may call different servers by one name. */
function originOf(name: string, settings: McpServerSettings | undefined): string {
  if (settings === undefined) return name;
  const where = isHttp(settings) ? settings.url : [settings.command, ...settings.args].join(' ');
  return `${name}: ${where}`;
}

function isHttp(settings: McpServerSettings): settings is HttpServer {
  return 'url' in settings;
}
