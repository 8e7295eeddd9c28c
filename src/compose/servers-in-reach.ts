/*
 * Which servers a run has to ask before it goes on, and which only when a tool of theirs is called.
 *
 * 1. A model that has yet to choose among all tools, and a plan that has yet to be checked, need lists: those of the
 *    servers whose tools they may name.
 * 2. What the run's own log tells of a server stands in for its list: its tools are pinned, and each is compared with its
 *    pin before the first call. A planner is shown what there is now.
 */
import type { Outset } from './run-options.ts';
import type { McpServerSettings } from '../contracts/mcp.ts';
import type { Task } from '../contracts/task.ts';
import { PLANNED_DELEGATE } from '../agent/planned-delegate.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { extractJson } from '../kernel/json-text.ts';
import type { RunState } from '../run/state.ts';
import { serverOfName } from '../tools/mcp/tool-name.ts';
import { foldRecorded, takeUp } from './resume-preview.ts';

/** Names of tools; null for all that there are. */
type Names = readonly string[] | null;

/** What is to be known of a run to tell which servers it needs. */
interface ReachRequest {
  readonly task: Task;
  readonly outset: Outset;
  /** Those of which policy may grant a tool. */
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** Whether the run's log tells what tools a server has. */
  readonly isLogged: (server: string) => boolean;
  /** Whether a tool is of no server. */
  readonly isOwn: (tool: string) => boolean;
}

/** The servers that are `asked` before the run goes on, and those that are started `later`, with the first call. */
export function serversInReach(request: ReachRequest): {
  readonly asked: readonly string[];
  readonly later: readonly string[];
} {
  const { task, outset, servers, isLogged } = request;
  const state = stateOf(outset);
  const names = state === null ? namesOfNew(task, outset) : namesOfRecorded(task, state);
  const inReach = serversOf(names, request);
  const isShown = state !== null && isListShown(state);
  const later = Object.entries(servers).filter(
    ([name, settings]) => isLogged(name) && !(inReach.has(name) && (isShown || !isStartedInTime(settings))),
  );
  const deferred = later.map(([name]) => name);
  return { asked: [...inReach].filter((name) => !deferred.includes(name)), later: deferred };
}

/** A start counts as a part of the call that it is made for: what ran out of time before it was sent would be in doubt. */
function isStartedInTime({ startTimeoutMs, totalTimeoutMs }: McpServerSettings): boolean {
  return totalTimeoutMs > 2 * startTimeoutMs;
}

function stateOf({ before = [], resumed = {} }: Outset): RunState | null {
  if (before.length === 0) return null;
  const state = foldRecorded(before);
  takeUp(state, resumed);
  return state;
}

/** Whether the next thing is that a model is shown the tools there are: a planner, or an agent in its first exchange. */
function isListShown({ phase, planning, session }: RunState): boolean {
  if (session !== null) return session.current === null;
  return phase === 'planning' && planning.supplied === null;
}

function namesOfNew(task: Task, { plan, isSession = false }: Outset): Names {
  if (isSession) return namesOfAgent(task);
  if (plan !== undefined) return namesOfText(task, plan);
  return task.mode === 'agent' ? namesOfAgent(task) : null;
}

function namesOfRecorded(task: Task, state: RunState): Names {
  const { session, planning, plan, isPlanSupplied } = state;
  if (session !== null) return namesOfAgent(task);
  // A plan that a planner drew may be drawn anew.
  if (!isPlanSupplied || isListShown(state)) return null;
  return planning.supplied === null
    ? namesOfNodes(task, plan?.nodes ?? [])
    : namesOfText(task, planning.supplied);
}

function namesOfAgent({ agent }: Task): Names {
  return agent?.tools ?? null;
}

/** A text that holds no plan is refused, whatever tools there are. */
function namesOfText(task: Task, text: string): Names {
  const extraction = extractJson(text, (value) => isJsonObject(value) && Array.isArray(value['nodes']));
  if ('problem' in extraction || !isJsonObject(extraction.value)) return [];
  const { nodes } = extraction.value;
  if (!Array.isArray(nodes)) return [];
  return namesOfNodes(task, nodes.filter(isJsonObject));
}

function namesOfNodes(task: Task, nodes: readonly { readonly tool?: Json; readonly args?: Json }[]): Names {
  const names = new Set<string>();
  for (const { tool, args } of nodes) {
    if (typeof tool !== 'string') continue;
    names.add(tool);
    if (tool !== PLANNED_DELEGATE.name) continue;
    const granted = namesOfDelegate(task, args);
    if (granted === null) return null;
    for (const name of granted) names.add(name);
  }
  return [...names];
}

function namesOfDelegate(task: Task, args: Json | undefined): Names {
  const tools = isJsonObject(args) ? args['tools'] : undefined;
  if (tools === undefined) return namesOfAgent(task);
  const isWritten = Array.isArray(tools) && tools.every((name) => typeof name === 'string');
  // What is referred to is known when it is there.
  return isWritten ? tools : null;
}

/** A name that is nobody's may be one of any server, misspelt: the refusal says what was meant. */
function serversOf(names: Names, { task, servers, isOwn }: ReachRequest): ReadonlySet<string> {
  const all = new Set(Object.keys(servers));
  if (names === null) return all;
  const found = new Set<string>();
  for (const name of names) {
    if (isOwn(name)) continue;
    const server = serverOfName(name, Object.keys(task.mcp ?? {}));
    if (server === undefined) return all;
    if (all.has(server)) found.add(server);
  }
  return found;
}
