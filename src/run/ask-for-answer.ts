import type { Json } from '../kernel/json.ts';
import type { Decision } from './effects.ts';
import type { NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/** The question of an interactive tool, whose answer becomes the result of its node. */
export function askForAnswer(state: RunState, node: NodeState, args: Json, argsHash: string): Decision {
  return {
    event: {
      type: 'approval.requested',
      node: node.id,
      question: 'answer',
      tool: node.tool.name,
      args,
      argsHash,
      plan: state.planHash,
    },
  };
}
