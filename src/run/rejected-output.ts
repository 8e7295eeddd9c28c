import { digestOf } from './node-state.ts';
import { outputNode } from './results.ts';
import type { RunState } from './state.ts';

/** Keeps the output that the critic has just refused, before it is written again or planned around. */
export function keepRejected(state: RunState): void {
  const output = outputNode(state);
  if (state.verdict?.outcome !== 'fail' || output?.value === undefined) return;
  state.rejected = { node: output.id, digest: digestOf(output), value: output.value, verdict: state.verdict };
}
