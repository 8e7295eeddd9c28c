import { AGENT_TOOLS } from '../agent/agent-tools.ts';
import { rootGrant } from '../agent/grant.ts';
import type { AgentGrant, AgentSettings } from '../contracts/agent.ts';
import type { RunState } from './state.ts';

/** The grant of an agent that a task starts itself; `names` are the only tools of the catalogue that it is given. */
export function grantOf(
  state: RunState,
  settings: AgentSettings,
  names?: readonly string[],
  iterations = settings.iterations,
): AgentGrant {
  const own = new Set(AGENT_TOOLS.map(({ name }) => name));
  const wanted = names ?? state.task.agent?.tools;
  const { effects, approve } = state.task.policy;
  return rootGrant({
    catalogue: [...state.tools.values()].filter(({ name }) => !own.has(name)),
    ...(wanted === undefined ? {} : { names: wanted }),
    own: ownTools(settings),
    policy: { effects, approve },
    iterations,
  });
}

/** The agents' own tools that an agent may use by its settings. */
function ownTools({ depth, children, memoryChars }: AgentSettings): string[] {
  const delegation = ['delegate', 'start_agent', 'message_agent', 'list_agents', 'delete_agent'];
  return ['todo', ...(memoryChars === 0 ? [] : ['memory']), ...(depth > 1 && children > 0 ? delegation : [])];
}
