import { hasEnded } from './node-state.ts';
import type { RunState } from './state.ts';

/** Gives nodes that have not ended the tools as the catalogue has them now; of one that is gone the old is kept. */
export function renewTools(state: RunState): void {
  for (const node of state.order) {
    if (!hasEnded(node)) node.tool = state.tools.get(node.plan.tool) ?? node.tool;
  }
}
