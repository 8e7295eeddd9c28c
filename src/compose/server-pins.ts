import type { HttpServer, McpServerSettings } from '../contracts/mcp.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { McpServers } from '../tools/mcp/mcp-servers.ts';
import type { OriginPins, PinChanges } from '../tools/pin-file.ts';
import { pinTool, type ToolPin } from '../tools/tool-pin.ts';
import { pinPath } from './pin-path.ts';
import type { DriveOptions } from './run-options.ts';

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

/** How the servers that were asked stand, and how their tools differ from what is pinned; with `accept`, what there is now is pinned. */
export async function comparePinned(
  servers: McpServers,
  settings: Readonly<Record<string, McpServerSettings>>,
  options: Pick<DriveOptions, 'runsFolder' | 'store'>,
  accept: boolean,
): Promise<CheckedServer[]> {
  const path = pinPath(options);
  const { comparePins, PinFile } = await import('../tools/pin-file.ts');
  const file = path === null ? null : new PinFile(path);
  const fresh = new Map<string, OriginPins>();
  const checked: CheckedServer[] = [];
  for (const report of servers.reports()) {
    const { server, state, reason, quarantined } = report;
    const tools = servers.toolsOf(server).map(({ spec }) => spec);
    const origin = originOf(server, settings[server]);
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

/** What each tool was when it was first published in a run. */
export function pinsOf(events: readonly FlightEvent[]): ReadonlyMap<string, ToolPin> {
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
