/*
 * The tools of a run that may change while it goes on: those of its MCP servers, in the catalogue beside the others.
 *
 * 1. Nothing is started before `open`; then the servers whose lists the run needs, the others when a tool of theirs is
 *    called or never; everything is gone after `close`.
 * 2. A tool that was in the catalogue can still be found by those who hold its name; calling it says what became of it.
 * 3. What is published is what can be called; what cannot is named with its reason.
 * 4. What is told of a server holds no known credential, whatever it has printed.
 */
import type { McpServerSettings } from '../contracts/mcp.ts';
import type { Task } from '../contracts/task.ts';
import type { CredentialMask } from '../flight/mask.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Catalogue, PublishedCatalogue } from '../tools/catalogue.ts';
import { isServerNeeded } from '../tools/mcp/is-server-needed.ts';
import type { McpServers } from '../tools/mcp/mcp-servers.ts';
import { serverOfName } from '../tools/mcp/tool-name.ts';
import { policyProblems } from '../tools/policy.ts';
import type { ToolPin } from '../tools/tool-pin.ts';
import { type PublishedTools, withNotes, withWithheld } from './catalogue-notes.ts';
import { type LoggedServer, readLoggedServers, type ServerNotes } from './logged-servers.ts';
import type { Quarantined } from './own-pins.ts';
import { firstOf } from '../kernel/first-of.ts';
import { readVersion } from './read-version.ts';
import type { DriveOptions, Outset } from './run-options.ts';
import { RunProcesses } from './run-processes.ts';
import { type CheckedServer, comparePinned, pinsOf } from './server-pins.ts';
import { serversInReach } from './servers-in-reach.ts';

interface Parts {
  readonly task: Task;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly credentials: CredentialMask;
  readonly catalogue: Catalogue;
  readonly publish: () => PublishedCatalogue;
}

type OpenOptions = Pick<DriveOptions, 'runsFolder' | 'store' | 'secrets' | 'signal'>;

/** The tools of a task's MCP servers, which are started as a run needs them. */
export class LiveTools {
  readonly #parts: Parts;
  readonly #settings: Readonly<Record<string, McpServerSettings>>;
  readonly #processes = new RunProcesses();
  /** MCP tools that stand in the catalogue, callable or not. */
  readonly #known = new Set<string>();
  #noted: Quarantined[] = [];
  #servers: McpServers | null = null;
  #opening: Promise<void> | null = null;
  #isClosed = false;
  #changes: readonly CheckedServer[] = [];
  /** The servers that are started when they are called. */
  #logged: ReadonlyMap<string, LoggedServer> = new Map();
  #published: PublishedTools | null = null;
  #tell: ((published: PublishedTools) => void) | null = null;

  constructor(parts: Parts, settings: Readonly<Record<string, McpServerSettings>>) {
    this.#parts = parts;
    this.#settings = settings;
  }

  /**
   * Starts the servers whose lists are needed, once. Throws `mcp_unavailable` where one cannot be had that is not optional,
   * `task_invalid` where policy names a tool that there is not, `aborted` where the signal comes first.
   */
  open(options: OpenOptions, outset: Outset = {}): Promise<void> {
    this.#parts.credentials.add(...(options.secrets ?? []));
    this.#opening ??= this.#open(options, outset);
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
      ...firstOf(quarantined.map(({ tool, reason }) => `${tool} cannot be called: ${reason}`)),
      ...changed.map(({ tool, parts }) => `${tool}: its ${parts.join(' and ')} changed since it was pinned`),
    ];
  }

  /** How each server stands; with `accept`, what there is now is pinned. */
  async check(
    options: Pick<DriveOptions, 'runsFolder' | 'store'>,
    accept: boolean,
  ): Promise<readonly CheckedServer[]> {
    const servers = await this.#start(this.#settings, new Map());
    return this.#parts.credentials.mask(await comparePinned(servers, this.#settings, options, accept));
  }

  /** Ends every server with all that it has started. */
  async close(): Promise<void> {
    this.#tell = null;
    this.#isClosed = true;
    // What is still being opened ends with its servers; it is not waited for before.
    await this.#servers?.close();
    await this.#opening?.catch(() => undefined);
    await this.#servers?.close();
    await this.#processes.close();
  }

  async #open(options: OpenOptions, outset: Outset): Promise<void> {
    const { signal } = options;
    const giveUp = (): void => void this.#servers?.close();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      const { before = [] } = outset;
      const asked = this.#divide(outset);
      const wanted = Object.entries(this.#settings).filter(
        ([name]) => asked.has(name) || this.#logged.has(name),
      );
      const servers = await this.#start(Object.fromEntries(wanted), pinsOf(before));
      if (signal?.aborted === true)
        throw new OrchestratorError('aborted', 'interrupted while the MCP servers were started', {
          hint: 'Nothing was done: give the same command again.',
        });
      const lost = servers.reports().find(({ state, isOptional }) => state === 'unavailable' && !isOptional);
      if (lost !== undefined)
        throw new OrchestratorError(
          'mcp_unavailable',
          this.#parts.credentials.mask(withServer(lost.server, lost.reason ?? '')),
        );
      this.#changes = await comparePinned(servers, this.#settings, options, false);
      this.#publish();
      this.#refuseUnknownNames(servers);
    } catch (error) {
      void this.#servers?.close();
      await this.#processes.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** The servers that are asked now; those that are started later are kept as the log has them. */
  #divide(outset: Outset): ReadonlySet<string> {
    const { task, catalogue } = this.#parts;
    const isOwn = (tool: string): boolean => catalogue.find(tool) !== undefined;
    const servers = Object.fromEntries(
      Object.entries(this.#settings).filter(([name, server]) => isServerNeeded(name, server, task.policy)),
    );
    const logged = readLoggedServers(outset.before ?? [], Object.keys(servers), isOwn);
    const isLogged = (server: string): boolean => logged.has(server);
    const { asked, later } = serversInReach({ task, outset, servers, isLogged, isOwn });
    this.#logged = new Map([...logged].filter(([server]) => later.includes(server)));
    return new Set(asked);
  }

  async #start(
    settings: Readonly<Record<string, McpServerSettings>>,
    pins: ReadonlyMap<string, ToolPin>,
  ): Promise<McpServers> {
    const { McpServers } = await import('../tools/mcp/mcp-servers.ts');
    if (this.#isClosed)
      throw new OrchestratorError('aborted', 'the MCP servers were closed before they began');
    const { folder, env, credentials } = this.#parts;
    const host = {
      ...{ folder, env, version: readVersion(), mask: credentials.mask },
      spawn: (request: Parameters<RunProcesses['spawn']>[0]) => this.#processes.spawn(request),
    };
    const known = new Map([...this.#logged].map(([name, { tools }]) => [name, tools]));
    const servers = new McpServers(settings, host, pins, known);
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
    const told = this.#told(servers);
    const quarantined = [...this.#noted, ...told.flatMap((each) => each.quarantined), ...taken];
    const unavailable = told.flatMap((each) => each.unavailable);
    const changed = told.flatMap((each) => each.changed);
    const withheld = told.flatMap((each) => each.withheld);
    const notes = this.#parts.credentials.mask({ quarantined, unavailable, changed });
    this.#published = withNotes(withWithheld(publish(), withheld), notes);
  }

  /** What is said of each server beside its tools: by its list, or by the log of the run until it is asked. */
  #told(servers: McpServers): ServerNotes[] {
    const reports = servers.reports();
    return Object.keys(this.#settings).flatMap((name): ServerNotes[] => {
      const logged = this.#logged.get(name);
      const report = reports.find(({ server }) => server === name);
      if (report === undefined) return logged === undefined ? [] : [logged];
      const { server, state, reason, quarantined } = report;
      const compared = this.#changes.find((each) => each.server === name)?.changes?.changed;
      return [
        {
          quarantined: [...quarantined],
          unavailable: state === 'ready' ? [] : [{ server, reason: reason ?? state }],
          changed: compared?.map(({ tool, parts }) => ({ tool, parts: [...parts] })) ?? logged?.changed ?? [],
          withheld: [],
        },
      ];
    });
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
    const { mask } = this.#parts.credentials;
    throw new OrchestratorError(
      'task_invalid',
      mask(`${path.join('.')}: ${message}`),
      hint === undefined ? {} : { hint: mask(hint) },
    );
  }
}

function withServer(server: string, reason: string): string {
  const start = `MCP server ${server}`;
  return reason.startsWith(start) ? reason : `${start}: ${reason}`;
}
