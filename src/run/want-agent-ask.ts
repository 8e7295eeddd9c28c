import { buildAsk } from '../agent/agent-ask.ts';
import type { AgentAsk } from '../agent/agent-decision.ts';
import type { AgentState } from '../agent/agent-state.ts';
import { available, withPromise } from '../budget/ledger.ts';
import { environmentOf } from './agent-environment.ts';
import { agentBehind, nodeOfAgent } from './crew-state.ts';
import type { WantedCall } from './model-request.ts';
import type { ModelCall, RunState } from './state.ts';

/** A question of an agent as the run makes it. */
export function wantAgentAsk(state: RunState, { agent: key, ...asked }: AgentAsk, tries = 0): WantedCall {
  const agent = state.crew.get(key);
  const ask = asked.isFinal && agent !== undefined ? fitFinal(state, agent) : { ...asked, agent: key };
  const kept = asked.isFinal ? state.promises.get(key) : undefined;
  return {
    id: asked.id,
    tries,
    role: asked.role,
    node: nodeOfAgent(state, key),
    isFinal: asked.isFinal,
    ...(kept === undefined ? {} : { kept }),
    drawsHeldBack: asked.isFinal && isLast(state, agent),
    build: () => ({
      messages: ask.messages,
      ...(ask.tools === undefined ? {} : { tools: ask.tools }),
      ...(ask.format === undefined ? {} : { format: ask.format }),
      maxOutputTokens: ask.maxOutputTokens,
    }),
  };
}

/** Where the whole run is one agent its write-up is that of the run. */
function isLast(state: RunState, agent: AgentState | undefined): boolean {
  return agent?.parent === null && (state.session !== null || state.task.mode === 'agent');
}

/** The write-up from as much of the history as what is left for it can pay. */
function fitFinal(state: RunState, agent: AgentState): AgentAsk {
  const environment = environmentOf(state);
  const kept = state.promises.get(agent.key);
  const ledger = kept === undefined ? state.ledger : withPromise(state.ledger, kept);
  const left = available(ledger, 'tokens', isLast(state, agent));
  const windowTokens = Math.min(environment.windowTokens, Math.max(0, left));
  return buildAsk(agent, 'final', { ...environment, windowTokens });
}

/** The question of an agent that is open, for its next try; null where nobody waits for it. */
export function wantAgentAgain(state: RunState, call: ModelCall): WantedCall | null {
  const agent = agentBehind(state, call.id);
  if (agent?.asking?.id !== call.id) return null;
  return wantAgentAsk(state, buildAsk(agent, agent.asking.purpose, environmentOf(state)), call.tries);
}
