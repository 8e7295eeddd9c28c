/*
 * When hooks are asked about a node that no code outside does: one that is a question to a person, and one that an agent
 * does. All others they are asked about where their call is made.
 */
import type { HookedOutcome } from '../contracts/hooks.ts';
import type { NodeEnd } from './decide-agent-node.ts';
import { attemptKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { resolveNodeArgs } from './node-args.ts';
import type { NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/**
 * The question to hooks before such a node; null where there are none, or where they have let it go on. A run that is an
 * agent's from its start is no call of a tool.
 */
export function askHooksBefore(state: RunState, node: NodeState): Decision | null {
  if (state.hooks !== 'all' || node.hooks !== null || state.task.mode === 'agent') return null;
  return askHooks(state, node, null);
}

/** The question to hooks about what a person said; null where none is owed. */
export function askHooksOfAnswer(state: RunState): Decision | null {
  for (const node of state.hooking) {
    const { hooks } = node;
    if (hooks !== null && !hooks.isAsked) return askHooks(state, node, hooks.outcome);
  }
  return null;
}

/**
 * The end of a node that an agent has done, as hooks leave it: first the question to those that were asked before it, and
 * null while their answer is awaited.
 */
export function endHooked(state: RunState, node: NodeState, owed: NodeEnd): Decision | null {
  const { event } = owed;
  switch (node.agent === 'delegate' ? node.hooks?.stage : undefined) {
    case 'passed':
      return askHooks(state, node, outcomeOf(event));
    case 'after':
      return null;
    case 'heard': {
      const value = node.hooks?.value;
      return value === undefined || event.type !== 'node.done' ? owed : { event: { ...event, value } };
    }
    case 'before':
    case undefined:
      return owed;
  }
}

function outcomeOf(event: NodeEnd['event']): HookedOutcome {
  switch (event.type) {
    case 'node.done':
      return { ok: true, value: event.value };
    case 'node.failed':
      return { ok: false, failure: event.failure };
    case 'node.refused':
      return event.by === 'budget'
        ? { ok: false, failure: { code: 'budget_refused', class: 'PERMANENT', message: event.reason } }
        : { ok: false, failure: { code: 'policy_denied', class: 'POLICY', message: event.reason } };
  }
}

function askHooks(state: RunState, node: NodeState, outcome: HookedOutcome | null): Decision {
  const resolved = resolveNodeArgs(state, node);
  const args = resolved.ok ? resolved.args : node.plan.args;
  const key = attemptKey(node.id, node.status === 'running' ? node.attempt : node.attempt + 1);
  return {
    event: { type: 'hooks.requested', node: node.id, when: outcome === null ? 'before' : 'after' },
    effect: { kind: 'askHooks', node: node.id, key, tool: node.tool, args, outcome },
  };
}
