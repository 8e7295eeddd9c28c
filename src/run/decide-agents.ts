/*
 * What agents owe, as decisions of their run: the start of one for a node or a message, the steps of those at work, and
 * the end of a node whose agent has ended.
 */
import type { AgentDecision } from '../agent/agent-decision.ts';
import { decideCrew } from '../agent/crew.ts';
import { settingsOf } from '../contracts/agent-task.ts';
import { environmentOf, reserveWriteUp } from './agent-environment.ts';
import { grantOf } from './agent-grant.ts';
import { decideWaiting } from './decide-approval.ts';
import { hasAgentAtWork, isCrewWorking } from './crew-state.ts';
import { endNodeAgent, startNodeAgent } from './decide-agent-node.ts';
import { endHooked } from './decide-hooks.ts';
import { attemptKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { makeCall } from './make-call.ts';
import type { RunState } from './state.ts';
import { wantAgentAsk } from './want-agent-ask.ts';

/** The next thing that agents owe, or null where all of them wait. */
export function decideAgents(state: RunState): Decision | null {
  for (const node of state.agentNodes.values()) {
    const agent = state.crew.get(attemptKey(node.id, node.attempt));
    if (agent === undefined) return startNodeAgent(state, node);
    if (agent.finished === null) continue;
    const ended = endHooked(state, node, endNodeAgent(state, node, agent));
    if (ended !== null) return ended;
  }
  if (state.session !== null && !hasAgentAtWork(state)) {
    const started = startExchange(state);
    if (started !== null) return started;
  }
  if (state.crew.size === 0) return null;
  const owed = decideCrew(state.crew, environmentOf(state));
  return owed === null ? null : toDecision(state, owed);
}

function toDecision(state: RunState, owed: AgentDecision): Decision | null {
  switch (owed.kind) {
    case 'log':
      return owed.effect === undefined
        ? { event: owed.event }
        : { event: owed.event, effect: { kind: 'agent', effect: owed.effect } };
    case 'ask':
      return makeCall(state, wantAgentAsk(state, owed.ask));
    case 'question': {
      const { call, question, tool, args, argsHash, marks } = owed.question;
      return {
        event: {
          type: 'approval.requested',
          ...{ node: call, question, tool, args, argsHash, plan: state.planHash, call },
          ...marks,
        },
      };
    }
  }
}

/** The exchange that the oldest message begins; null where nobody has said anything. */
function startExchange(state: RunState): Decision | null {
  const { session } = state;
  const message = session?.received[0];
  if (session === null || message === undefined) return null;
  const before = session.current === null ? undefined : state.crew.get(session.current);
  const settings = settingsOf(state.task.agent);
  const continues = before === undefined || message.history !== undefined ? null : before;
  const systemMessage = message.systemMessage ?? continues?.systemMessage ?? null;
  return {
    event: {
      type: 'agent.started',
      agent: `chat/${session.exchanges + 1}`,
      ...(continues === null ? {} : { continues: continues.key }),
      task: message.text,
      ...(systemMessage === null ? {} : { systemMessage }),
      ...(message.history === undefined ? {} : { history: message.history }),
      grant: continues?.grant ?? grantOf(state, settings),
      settings,
      reserved: reserveWriteUp(state) ?? {},
    },
  };
}

/** What a session owes beside the steps of its agent: to wait for a person, or to lie still where nobody talks to it. */
export function decideSession(state: RunState): Decision | null {
  if (isCrewWorking(state) || state.runningCalls.size > 0 || state.openCalls.length > 0) return null;
  if (hasAgentAtWork(state)) return decideWaiting(state);
  return state.session?.isOpen === true ? null : { event: { type: 'run.interrupted' } };
}
