import type { Failure } from '../contracts/failure.ts';
import type { Json } from '../kernel/json.ts';
import { applyMemory } from './agent-memory.ts';
import type { AgentCall, AgentState } from './agent-state.ts';
import { textField } from './delegation.ts';
import { applyTodo } from './todo.ts';

/** What a tool that lives in the agent does; `commit` folds its new state. */
export type LocalAnswer =
  | {
      readonly ok: true;
      readonly value: Json;
      /** The entries to be kept, where the call was about them. */
      readonly memory?: readonly string[];
      commit(): void;
    }
  | { readonly ok: false; readonly failure: Failure };

/** The answer to a call of a tool that lives in the agent; its arguments hold to the tool's schema. */
export function applyLocal(agent: AgentState, { tool, args }: Pick<AgentCall, 'tool' | 'args'>): LocalAnswer {
  switch (tool) {
    case 'todo': {
      const applied = applyTodo(agent.todos, args);
      return applied.ok ? answer(applied.value, () => (agent.todos = applied.state)) : applied;
    }
    case 'memory': {
      const applied = applyMemory(agent.memory, args, agent.settings.memoryChars);
      if (!applied.ok) return applied;
      const changed = applied.state === agent.memory ? {} : { memory: applied.state };
      return { ...answer(applied.value, () => (agent.memory = applied.state)), ...changed };
    }
    case 'list_agents':
      return answer(
        [...agent.lasting].map(([name, { grant }]) => ({ name, tools: [...grant.tools] })),
        () => undefined,
      );
    case 'delete_agent': {
      const name = textField(args, 'name');
      if (agent.lasting.has(name)) return answer(`deleted ${name}`, () => agent.lasting.delete(name));
      return refuse(`there is no agent ${JSON.stringify(name)}`);
    }
    case 'finish':
      return answer('finished', () => undefined);
    default:
      return refuse(`${tool} is no tool of the agent itself`);
  }
}

function answer(value: Json, commit: () => void): Extract<LocalAnswer, { ok: true }> {
  return { ok: true, value, commit };
}

function refuse(message: string): LocalAnswer {
  return { ok: false, failure: { code: 'tool_misuse', class: 'TOOL_MISUSE', message } };
}
