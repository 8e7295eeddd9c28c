import { attemptKey } from '../run/effect-key.ts';
import type { RunState } from '../run/state.ts';

/** An agent that is at work: where it stands, and its calls that have not ended. */
export interface AgentAtWork {
  readonly round: number;
  readonly rounds: number;
  readonly isWritingUp: boolean;
  readonly calls: readonly CallUnderWay[];
}

/** A call of an agent that has not ended; the agent whose work it is, where it is one's. */
export interface CallUnderWay {
  readonly tool: string;
  readonly state: 'running' | 'waiting' | 'pending' | 'retrying';
  readonly child: AgentAtWork | null;
}

/** The agents at work by the id of their node; those of a session are in none. */
export function agentsAtWork(state: RunState): ReadonlyMap<string, AgentAtWork> {
  const found = new Map<string, AgentAtWork>();
  for (const { id, attempt } of state.agentNodes.values()) {
    const agent = describeAgent(state.crew, attemptKey(id, attempt));
    if (agent !== null) found.set(id, agent);
  }
  return found;
}

function describeAgent(crew: RunState['crew'], key: string): AgentAtWork | null {
  const agent = crew.get(key);
  if (agent === undefined || agent.phase === 'ended') return null;
  const calls = agent.calls.filter(({ status }) => status !== 'ended');
  return {
    round: agent.round,
    rounds: agent.settings.rounds,
    isWritingUp: agent.phase === 'write_up',
    calls: calls.map(({ key: call, tool, status, failure }) => ({
      tool,
      state:
        status === 'running'
          ? 'running'
          : status === 'asking'
            ? 'waiting'
            : failure === null
              ? 'pending'
              : 'retrying',
      child: describeAgent(crew, call),
    })),
  };
}

/** How many calls are under way below an agent, those of its children included. */
export function countCalls({ calls }: AgentAtWork): number {
  return calls.reduce((sum, { child }) => sum + 1 + (child === null ? 0 : countCalls(child)), 0);
}
