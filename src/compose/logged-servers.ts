import type { ToolSpec } from '../contracts/tool.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { KnownTools } from '../tools/mcp/server-tools.ts';
import { SERVER_SEPARATOR } from '../tools/mcp/tool-name.ts';
import type { PublishedTools } from './catalogue-notes.ts';

/** What is published of a server beside the tools that can be called. */
export interface ServerNotes {
  readonly withheld: readonly string[];
  readonly quarantined: NonNullable<PublishedTools['quarantined']>;
  readonly unavailable: NonNullable<PublishedTools['unavailable']>;
  readonly changed: NonNullable<PublishedTools['changed']>;
}

/** What a run's log told last of one server, which stands until it is asked again. */
export interface LoggedServer extends ServerNotes {
  readonly tools: KnownTools;
}

/** The servers whose lists a run's events hold, by name; `isOwn` says of a tool that it is of no server. */
export function readLoggedServers(
  events: readonly FlightEvent[],
  servers: readonly string[],
  isOwn: (tool: string) => boolean,
): ReadonlyMap<string, LoggedServer> {
  const logged = new Map<string, LoggedServer>();
  const seen = new Map<string, ToolSpec>();
  let last: PublishedTools | null = null;
  for (const event of events) {
    if (event.type !== 'catalogue.published') continue;
    last = event;
    for (const spec of event.tools as readonly ToolSpec[]) seen.set(spec.name, spec);
  }
  if (last === null) return logged;
  const { tools, withheld, quarantined = [], unavailable = [], changed = [] } = last;
  const told = new Set(tools.map(({ name }) => name));
  for (const server of servers) {
    const isOf = (tool: string): boolean => tool.startsWith(`${server}${SERVER_SEPARATOR}`) && !isOwn(tool);
    const specs = [...seen.values()].filter(({ name }) => isOf(name));
    const kept = withheld.filter(isOf);
    if (specs.length === 0 && kept.length === 0) continue;
    logged.set(server, {
      tools: {
        callable: specs.filter(({ name }) => told.has(name)),
        retired: specs.filter(({ name }) => !told.has(name)),
      },
      withheld: kept,
      // Of an entry without a name, and of those too many, the place in the list is told.
      quarantined: quarantined.filter(
        ({ tool }) => tool.startsWith(`${server}${SERVER_SEPARATOR}`) || tool.startsWith(`${server}[`),
      ),
      unavailable: unavailable.filter((entry) => entry.server === server),
      changed: changed.filter(({ tool }) => isOf(tool)),
    });
  }
  return logged;
}
