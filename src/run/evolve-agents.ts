/* The fold of what agents do to their run: its books, its questions, its open calls. What it does to them is the crew's. */
import type { AgentInput } from '../agent/agent-decision.ts';
import { isChildTool } from '../agent/agent-tools.ts';
import { evolveCrew, resumeCrew } from '../agent/crew.ts';
import { promise, release, releaseToolCall, reserveToolCall, settleToolCall } from '../budget/ledger.ts';
import type { AgentFlightType } from '../flight/events-of-agents.ts';
import type { EventOf } from '../flight/events.ts';
import { dropAnswers } from './answers-at-hand.ts';
import { agentBehind, agentCall, countAgentCalls, isToolUnderWay } from './crew-state.ts';
import { closeCall, dropAsks } from './evolve-model.ts';
import type { RunState } from './state.ts';

/** Folds an event that only agents and their sessions have. */
export function evolveAgents(state: RunState, event: EventOf<AgentFlightType>): void {
  switch (event.type) {
    case 'message.received':
      state.session?.received.push(event);
      return;
    case 'agent.started':
      tell(state, event);
      startAgent(state, event);
      return;
    case 'call.started':
      if (!isChildTool(event.tool)) reserveToolCall(state.ledger);
      tell(state, event);
      return;
    case 'call.amended':
      if (isToolUnderWay(agentCall(state, event.key))) releaseToolCall(state.ledger);
      tell(state, event);
      return;
    case 'call.returned':
    case 'call.failed':
      if (isToolUnderWay(agentCall(state, event.key))) settleToolCall(state.ledger);
      dropAsks(state, event.key);
      dropAnswers(state, event.key);
      tell(state, event);
      return;
    case 'call.refused':
      dropAnswers(state, event.key);
      tell(state, event);
      state.questions.delete(event.key);
      return;
    case 'agent.interrupted':
      tell(state, event);
      dropCalls(state, event.agent);
      return;
    case 'agent.finished':
      dropAnswers(state, event.agent);
      keepPromise(state, event.agent);
      tell(state, event);
      return;
    case 'agent.requested':
    case 'agent.briefed':
    case 'agent.recalled':
    case 'round.started':
    case 'turn.read':
    case 'call.answered':
    case 'call.hooked':
    case 'round.observed':
    case 'compression.started':
    case 'figures.kept':
    case 'context.compressed':
    case 'compression.failed':
    case 'round.ended':
    case 'agent.stopped':
      tell(state, event);
  }
}

function tell(state: RunState, event: AgentInput): void {
  evolveCrew(state.crew, event, state.tools.values());
}

function startAgent(state: RunState, { agent, parent, reserved }: EventOf<'agent.started'>): void {
  state.promises.set(agent, reserved);
  promise(state.ledger, reserved);
  if (state.session === null || parent !== undefined) return;
  state.session.received.shift();
  state.session.exchanges++;
  state.session.current = agent;
}

/** What was kept for a write-up goes to it, or back. */
function keepPromise(state: RunState, agent: string): void {
  const kept = state.promises.get(agent);
  if (kept !== undefined) release(state.ledger, kept);
  state.promises.delete(agent);
}

/** Nobody waits for the questions of an agent that was interrupted; those under way end by themselves. */
function dropCalls(state: RunState, agent: string): void {
  for (const call of [...state.calls.values()]) {
    if (call.status !== 'running' && call.id.startsWith(`${agent}/`)) closeCall(state, call.id);
  }
}

/** Tells the agent whose question it is of an event of a model call; nothing where it is no agent's. */
export function tellAgentOfModel(
  state: RunState,
  event:
    | Pick<EventOf<'model.requested' | 'model.refused'>, 'type' | 'key'>
    | EventOf<'model.answered'>
    | EventOf<'ask.failed'>,
): void {
  const agent = agentBehind(state, event.key);
  if (agent === undefined) return;
  tell(state, event);
  if (event.type === 'model.requested' && agent.asking?.purpose === 'final') keepPromise(state, agent.key);
}

/** Folds the delay before a call of an agent is made again; false where the key is none of theirs. */
export function delayAgentCall(state: RunState, event: EventOf<'retry.scheduled'>): boolean {
  if (agentCall(state, event.key) === undefined) return false;
  tell(state, event);
  return true;
}

/** Folds a question about a call of an agent, or its answer. */
export function evolveAgentApproval(
  state: RunState,
  event: EventOf<'approval.requested'> | EventOf<'approval.decided'>,
  call: string,
): void {
  if (event.type === 'approval.requested') {
    state.questions.set(event.node, event);
    tell(state, { type: event.type, call });
    return;
  }
  if (!state.questions.delete(event.node)) return;
  const { decision, next, reason, value } = event;
  tell(state, {
    ...{ type: event.type, call, decision },
    ...(next === undefined ? {} : { next }),
    ...(reason === undefined ? {} : { reason }),
    ...(value === undefined ? {} : { value }),
  });
}

/** Folds that another process goes on: what agents had under way is booked, and begins again where it may. */
export function resumeAgents(state: RunState): void {
  for (let count = countAgentCalls(state); count > 0; count--) settleToolCall(state.ledger);
  resumeCrew(state.crew);
}
