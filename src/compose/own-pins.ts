/*
 * The pins of a run's own tools: those of modules, those given as code, the built-in ones. Within a run a tool that is
 * not what it was when the run was first told of it is not called; between runs a change is told once.
 */
import { isAbsolute, relative } from 'node:path';
import type { Tool, ToolSpec } from '../contracts/tool.ts';
import type { FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { BUILTIN_ORIGIN } from '../tools/builtin/names.ts';
import type { OriginPins, PinChanges } from '../tools/pin-file.ts';
import { changedParts, pinTool } from '../tools/tool-pin.ts';
import { withNotes } from './catalogue-notes.ts';
import { pinPath } from './pin-path.ts';
import type { Prepared } from './prepare.ts';
import { readVersion } from './read-version.ts';
import type { DriveOptions } from './run-options.ts';

/** What is not to be called, and why. */
export interface Quarantined {
  readonly tool: string;
  readonly reason: string;
}

/**
 * The same preparation without the tools that changed since the events of its run: calls of them fail, and say so. What
 * belongs to this package is judged by its schemas and effect alone, and in a session, whose agent is told anew what
 * there is, not at all: its wording follows the package's version.
 */
export function quarantineChanged(
  prepared: Prepared,
  before: readonly FlightEvent[],
  given: readonly Tool[] = [],
): Prepared {
  const first = firstSeen(before);
  const isSession = before.some((event) => event.type === 'message.received');
  const names = new Set(given.map(({ spec }) => spec.name));
  const quarantined: Quarantined[] = [];
  for (const name of prepared.tools.names()) {
    const tool = prepared.tools.find(name);
    const was = first.get(name);
    if (tool === undefined || was === undefined) continue;
    const isOwn = tool.origin === BUILTIN_ORIGIN || (tool.origin === undefined && !names.has(name));
    if (isOwn && isSession) continue;
    const parts = partsThatChanged(was, tool.spec).filter((part) => !isOwn || part !== 'description');
    if (parts.length === 0) continue;
    const reason = `its ${parts.join(' and ')} changed during the run`;
    quarantined.push({ tool: name, reason });
    prepared.tools.remove(name);
    prepared.tools.add(unusable(tool, reason));
    prepared.tools.retire(name);
  }
  if (quarantined.length === 0) return prepared;
  prepared.live?.note(quarantined);
  const catalogue = withNotes(prepared.publish(), { quarantined });
  return { ...prepared, catalogue, quarantined };
}

/** Each tool as the run was first told of it; a fork begins with what it has published itself. */
function firstSeen(events: readonly FlightEvent[]): ReadonlyMap<string, ToolSpec> {
  const specs = new Map<string, ToolSpec>();
  for (const [index, event] of events.entries()) {
    if (event.type !== 'catalogue.published') continue;
    if (events[index - 1]?.type === 'run.forked') specs.clear();
    for (const spec of event.tools) if (!specs.has(spec.name)) specs.set(spec.name, spec);
  }
  return specs;
}

function partsThatChanged(before: ToolSpec, after: ToolSpec): string[] {
  return changedParts(pinTool(before), pinTool(after));
}

function unusable({ spec, origin }: Tool, reason: string): Tool {
  return {
    spec,
    ...(origin === undefined ? {} : { origin }),
    run: () => {
      throw new OrchestratorError('tool_unavailable', `${spec.name} is quarantined: ${reason}`, {
        details: { quarantined: true },
        hint: 'Fork the run to go on with the tool as it is now.',
      });
    },
  };
}

/** How the tools of one origin that is no server differ from what is pinned of them. */
export interface CheckedOrigin {
  /** `built-in tools`, or `tools of` a module. */
  readonly origin: string;
  readonly tools: readonly string[];
  /** Null where nothing is pinned of it yet. */
  readonly changes: PinChanges | null;
}

/**
 * How a run's own tools differ from what is pinned of them. What is new is pinned; with `accept`, everything as it is now.
 * Throws `usage` where the file is none of its kind.
 */
export async function checkOwnTools(
  prepared: Prepared,
  options: DriveOptions,
  accept: boolean,
): Promise<readonly CheckedOrigin[]> {
  const path = pinPath(options);
  const origins = originsOf(prepared);
  if (path === null || origins.size === 0) return [];
  const { comparePins, PinFile } = await import('../tools/pin-file.ts');
  const file = new PinFile(path);
  const pinned = await file.readAll();
  const fresh = new Map<string, OriginPins>();
  const checked: CheckedOrigin[] = [];
  for (const [key, { words, now, isWhole }] of origins) {
    const before = pinned.get(key);
    const { changed, added, removed } = comparePins(before ?? {}, now);
    const changes = { changed, added, removed: isWhole ? removed : [] };
    if (accept) fresh.set(key, isWhole ? now : { ...before, ...now });
    else if (added.length > 0) fresh.set(key, { ...now, ...before });
    checked.push({ origin: words, tools: Object.keys(now), changes: before === undefined ? null : changes });
  }
  if (fresh.size > 0) await file.write(fresh);
  return checked;
}

/**
 * What changed in the tools of modules, and in built-in tools of one version of this package, since a run before had
 * them, a line for each origin; they are pinned as they are now. Writes nothing where nothing changed, and never throws.
 */
export async function reportOwnTools(prepared: Prepared, options: DriveOptions): Promise<readonly string[]> {
  const path = pinPath(options);
  if (path === null) return [];
  const origins = originsOf(prepared);
  if (origins.size === 0) return [];
  try {
    const { comparePins, PinFile } = await import('../tools/pin-file.ts');
    const file = new PinFile(path);
    const fresh = new Map<string, OriginPins>();
    const lines: string[] = [];
    const pinned = await file.readAll();
    for (const [origin, { words, now }] of origins) {
      const before = pinned.get(origin) ?? {};
      const { changed, added } = comparePins(before, now);
      if (changed.length + added.length > 0) fresh.set(origin, { ...before, ...now });
      if (changed.length === 0) continue;
      const what = changed.map(({ tool, parts }) => `${tool} (${parts.join(' and ')})`);
      lines.push(`${words} changed since a run before: ${what.join(', ')}`);
    }
    if (fresh.size > 0) await file.write(fresh);
    return lines;
  } catch (error) {
    // Pins are no part of a run's result: what could not be kept is told of when it can be.
    return error instanceof OrchestratorError ? [error.message] : [];
  }
}

interface Origin {
  readonly words: string;
  /** Whether these are all that it has: a task takes every tool of a module, and some of the built-in ones. */
  readonly isWhole: boolean;
  readonly now: Record<string, OriginPins[string]>;
}

function originsOf({ tools, folder, quarantined }: Prepared): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  const left = new Set(quarantined.map(({ tool }) => tool));
  for (const name of tools.names()) {
    const tool = tools.find(name);
    if (tool === undefined || left.has(name)) continue;
    if (tool.origin === undefined) continue;
    const isBuiltin = tool.origin === BUILTIN_ORIGIN;
    // Servers have pins of their own.
    if (!isBuiltin && !isAbsolute(tool.origin)) continue;
    const key = isBuiltin ? `built-in ${readVersion()}` : `module ${tool.origin}`;
    const words = isBuiltin ? 'built-in tools' : `tools of ${relative(folder, tool.origin)}`;
    const origin = origins.get(key) ?? { words, isWhole: !isBuiltin, now: {} };
    origin.now[name] = pinTool(tool.spec);
    origins.set(key, origin);
  }
  return origins;
}
