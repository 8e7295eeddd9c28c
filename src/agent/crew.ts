/*
 * The agents of a run: those that it started itself, and their children. An event goes to the agent whose key it has or
 * stands below; the end of a child is the result of the call that started it. Owned here: nothing but who is meant.
 */
import type { AgentEventOf } from '../contracts/agent-events.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { AgentDecision, AgentEnvironment, AgentInput } from './agent-decision.ts';
import { type AgentState, callOf, createAgent, slotsHeld } from './agent-state.ts';
import { decideAgent } from './decide-agent.ts';
import { evolveAgent, finalText, resumeAgent, systemPrompt } from './evolve-agent.ts';
import { noteOpenWorld, settleOwn } from './evolve-turn.ts';

/** The agents of a run by key, in the order in which they were started. Owned and updated in place by the fold. */
export type AgentCrew = Map<string, AgentState>;

/** Folds an event of an agent, or one of the run that may concern one; it changes nothing where it concerns none. */
export function evolveCrew(crew: AgentCrew, event: AgentInput, catalogue: Iterable<ToolSpec>): void {
  if (event.type === 'agent.started') {
    startAgent(crew, event, catalogue);
    return;
  }
  const agent = crew.get('agent' in event ? event.agent : ownerOf('call' in event ? event.call : event.key));
  if (agent === undefined) return;
  evolveAgent(agent, event);
  if (event.type === 'agent.finished') endChild(crew, agent, event);
  if (event.type === 'agent.interrupted') interruptChildren(crew, agent, event);
}

/** The key of whoever has an effect: its own without the last step. */
function ownerOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

function startAgent(
  crew: AgentCrew,
  event: AgentEventOf<'agent.started'>,
  catalogue: Iterable<ToolSpec>,
): void {
  const parent = event.parent === undefined ? null : (crew.get(event.parent) ?? null);
  const before = event.continues === undefined ? null : (crew.get(event.continues) ?? null);
  const agent = createAgent(event, { catalogue, parent, before });
  if (agent.phase !== 'briefing' && agent.system === '') agent.system = systemPrompt(agent);
  // Its history goes on in the new one.
  if (before !== null) crew.delete(before.key);
  crew.set(agent.key, agent);
  if (parent === null) return;
  const call = callOf(parent, agent.key);
  if (call !== undefined) call.hasChild = true;
  if (event.name !== undefined) parent.lasting.set(event.name, { agent: agent.key, grant: event.grant });
}

function endChild(
  crew: AgentCrew,
  child: AgentState,
  { reason, status }: AgentEventOf<'agent.finished'>,
): void {
  const parent = child.parent === null ? undefined : crew.get(child.parent);
  if (parent === undefined) return;
  const value = { status, reason, answer: finalText(child, reason) };
  noteOpenWorld(parent, child.openWorld);
  settleOwn(parent, child.key, { ok: true, value });
  const isLasting = [...parent.lasting.values()].some(({ agent }) => agent === child.key);
  if (!isLasting) crew.delete(child.key);
}

function interruptChildren(
  crew: AgentCrew,
  parent: AgentState,
  event: AgentEventOf<'agent.interrupted'>,
): void {
  for (const child of crew.values()) {
    if (child.parent === parent.key && child.phase !== 'ended') {
      evolveAgent(child, { ...event, agent: child.key });
      interruptChildren(crew, child, event);
    }
  }
}

/** Folds that another process took the run up. */
export function resumeCrew(crew: AgentCrew): void {
  for (const agent of crew.values()) {
    agent.memoryBefore = agent.memory;
    if (agent.phase !== 'ended') resumeAgent(agent);
  }
}

/** The first thing that any agent owes, the longest at work first; null where all of them wait. */
export function decideCrew(crew: AgentCrew, environment: AgentEnvironment): AgentDecision | null {
  for (const agent of crew.values()) {
    const owed = decideAgent(agent, environment);
    if (owed !== null) return owed;
  }
  return null;
}

/** Slots of the run that agents hold; one that waits for its children or for a person holds none. */
export function slotsOfCrew(crew: AgentCrew): number {
  let slots = 0;
  for (const agent of crew.values()) slots += slotsHeld(agent);
  return slots;
}

/** The earliest time at which time alone makes a call of an agent due, in epoch milliseconds; Infinity for none. */
export function nextAgentWake(crew: AgentCrew, now: number): number {
  let earliest = Infinity;
  for (const { calls } of crew.values()) {
    for (const { status, dueAt } of calls) {
      if (status === 'due' && dueAt > now) earliest = Math.min(earliest, dueAt);
    }
  }
  return earliest;
}
