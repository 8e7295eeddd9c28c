import { isChildTool } from '../agent/agent-tools.ts';
import type { AgentCall, AgentState } from '../agent/agent-state.ts';
import { callOf } from '../agent/agent-state.ts';
import { slotsOfCrew } from '../agent/crew.ts';
import { promise } from '../budget/ledger.ts';
import type { NotesChange } from '../contracts/agent.ts';
import type { NodeState } from './node-state.ts';
import { attemptKey } from './effect-key.ts';
import type { RunState } from './state.ts';

/** The tool of a plan whose work an agent does. */
export const DELEGATE = 'delegate';

/** The key of whoever has an effect: its own without the last step. */
export function ownerKey(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

/** The agent whose own effect has that key, be it a question to a model or a call. */
export function agentBehind(state: RunState, key: string): AgentState | undefined {
  return state.crew.size === 0 ? undefined : state.crew.get(ownerKey(key.replace(/#\d+$/, '')));
}

/** The call of an agent with that key, in the turn under way. */
export function agentCall(state: RunState, key: string): AgentCall | undefined {
  const agent = agentBehind(state, key);
  return agent === undefined ? undefined : callOf(agent, key);
}

/** True for the call of a tool that is under way; one that is another agent's work is none. */
export function isToolUnderWay(call: AgentCall | undefined): boolean {
  return call?.status === 'running' && !isChildTool(call.tool);
}

/** True for a tool of agents whose work is another agent. */
export function isHandedOn(tool: string): boolean {
  return isChildTool(tool);
}

/** Calls of tools by agents that are under way. */
export function countAgentCalls(state: RunState): number {
  let count = 0;
  for (const { calls } of state.crew.values()) count += calls.filter(isToolUnderWay).length;
  return count;
}

/** The node whose work an agent does, itself or as the child of the one that does; empty in a session. */
export function nodeOfAgent(state: RunState, key: string): string {
  let root = key;
  for (let above = state.crew.get(key)?.parent ?? null; above !== null;) {
    root = above;
    above = state.crew.get(above)?.parent ?? null;
  }
  for (const node of state.agentNodes.values())
    if (attemptKey(node.id, node.attempt) === root) return node.id;
  return '';
}

/** Slots that are taken: by nodes whose tool is called, and by agents for what they have under way. */
export function slotsInUse(state: RunState): number {
  const plain = state.running.size - state.agentNodes.size;
  return state.crew.size === 0 ? plain : plain + slotsOfCrew(state.crew);
}

/** Whether a node may start by the slots that are free. A node that is an agent's holds none, but no more work than there are slots. */
export function hasSlotFor(state: RunState, node: NodeState): boolean {
  if (slotsInUse(state) >= state.task.concurrency) return false;
  if (node.tool.name !== DELEGATE || state.agentNodes.size === 0) return true;
  const waiting = new Set<string>();
  for (const { call } of state.questions.values()) {
    if (call !== undefined) waiting.add(nodeOfAgent(state, ownerKey(call)));
  }
  return state.agentNodes.size - waiting.size < state.task.concurrency;
}

/** True while something goes on in an agent that ends without a person: a call, an errand, or a wait for a time. */
export function isCrewWorking(state: RunState): boolean {
  for (const { phase, errand, asking, calls, isInterrupted } of state.crew.values()) {
    if (phase === 'ended') continue;
    if (errand !== null || (asking !== null && !isInterrupted)) return true;
    if (calls.some((call) => isToolUnderWay(call) || (call.status === 'due' && call.dueAt > state.now)))
      return true;
  }
  return false;
}

/** True while some agent has not ended. */
export function hasAgentAtWork(state: RunState): boolean {
  for (const { phase } of state.crew.values()) if (phase !== 'ended') return true;
  return false;
}

/** What agents changed in their notes since a process took the run up. */
export function changedNotes({ crew }: RunState): { readonly agent: string; readonly change: NotesChange }[] {
  return [...crew.values()].flatMap(({ key, memoryBefore: before, memory: after }) =>
    before === after ? [] : [{ agent: key, change: { before, after } }],
  );
}

/** Keeps once more in a new ledger what is kept for the write-ups of agents at work. */
export function renewPromises(state: RunState): void {
  for (const kept of state.promises.values()) promise(state.ledger, kept);
}
