import { AGENT_TOOLS } from '../agent/agent-tools.ts';
import { PLANNED_DELEGATE } from '../agent/planned-delegate.ts';
import type { Tool } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';

/** Names that agents have for tools of their own; a catalogue that agents work with may not hold them. */
export const AGENT_TOOL_NAMES: readonly string[] = [
  ...AGENT_TOOLS.map(({ name }) => name),
  'clarify',
  'session_search',
];

/** `delegate` as a tool of a catalogue. The engine starts an agent where it stands, so its code is never called. */
export const delegateTool: Tool = {
  spec: PLANNED_DELEGATE,
  origin: 'agents',
  run: () => {
    throw new OrchestratorError('internal', 'delegate is an agent’s work and no call');
  },
};

/** Throws `tool_conflict` where a tool of a task has a name that agents have for one of their own. */
export function refuseAgentNames(names: readonly string[]): void {
  const taken = names.filter((name) => AGENT_TOOL_NAMES.includes(name));
  if (taken.length === 0) return;
  throw new OrchestratorError(
    'tool_conflict',
    `agents have tools of their own called ${taken.map((name) => `"${name}"`).join(', ')}, and so has this task`,
    {
      hint: 'Rename the tool, or leave out `mode: agent` and the section `agent`.',
      details: { tools: taken },
    },
  );
}
