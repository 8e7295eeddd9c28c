import type { AgentGrant, AgentSettings } from '../contracts/agent.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ToolEffect, ToolSpec } from '../contracts/tool.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { type DelegateArgs, NOT_FOR_CHILDREN } from './agent-tools.ts';
import { strongestEffect } from './grant.ts';

/** What a parent can pass on. */
export interface Delegator {
  readonly grant: AgentGrant;
  readonly settings: AgentSettings;
  readonly tools: ReadonlyMap<string, ToolSpec>;
  readonly lasting: ReadonlyMap<string, LastingAgent>;
}

/** An agent that its parent may send more messages: the key of its newest exchange, and what it was granted. */
export interface LastingAgent {
  readonly agent: string;
  readonly grant: AgentGrant;
}

/** What a child is started with, or why it is not. */
export type ChildPlan =
  | {
      readonly ok: true;
      readonly task: string;
      readonly grant: AgentGrant;
      readonly name?: string;
      readonly continues?: string;
    }
  | { readonly ok: false; readonly failure: Failure };

/**
 * The child that a call of `delegate`, `start_agent` or `message_agent` asks for. Its tools are some of the parent's,
 * without those that no child has; what it asks for beyond a cap is refused, never lowered in silence.
 */
export function planChild(parent: Delegator, tool: string, args: Json): ChildPlan {
  if (!isJsonObject(args)) return refuse('tool_misuse', 'the arguments must be one JSON object');
  if (parent.grant.depth >= parent.settings.depth) {
    return refuse(
      'policy_denied',
      `agents may delegate ${parent.settings.depth} deep, and this one is there`,
    );
  }
  if (parent.settings.children === 0) return refuse('policy_denied', 'no children may work');
  return tool === 'message_agent'
    ? planMessage(parent, args)
    : planNew(parent, args as unknown as DelegateArgs);
}

function planMessage(parent: Delegator, args: { readonly [key: string]: Json }): ChildPlan {
  const name = textField(args, 'name');
  const known = parent.lasting.get(name);
  if (known === undefined) {
    const names = [...parent.lasting.keys()].join(', ') || 'none';
    return refuse('tool_misuse', `there is no agent ${JSON.stringify(name)}; there are: ${names}`);
  }
  return { ok: true, task: textField(args, 'message'), grant: known.grant, name, continues: known.agent };
}

/** A field of arguments as text; empty where it is none. */
export function textField(args: Json, field: string): string {
  const value = isJsonObject(args) && Object.hasOwn(args, field) ? args[field] : '';
  return typeof value === 'string' ? value : '';
}

function planNew(parent: Delegator, { task, tools, max_iterations, name }: DelegateArgs): ChildPlan {
  const cap = parent.settings.childIterations;
  if (max_iterations !== undefined && max_iterations > cap) {
    return refuse('budget_refused', `max_iterations is ${max_iterations}, the cap is ${cap}`, { cap });
  }
  const fault = name === undefined ? null : nameFault(parent, name);
  if (fault !== null) return refuse('tool_misuse', fault);
  const passable = passableTools(parent);
  const beyond = (tools ?? []).filter((each) => !passable.includes(each));
  if (beyond.length > 0) {
    return refuse(
      'policy_denied',
      `not yours to pass on: ${beyond.join(', ')}; these are: ${passable.join(', ')}`,
    );
  }
  const granted = tools === undefined ? passable : passable.filter((each) => tools.includes(each));
  return {
    ok: true,
    task,
    grant: {
      ...parent.grant,
      tools: granted,
      iterations: max_iterations ?? cap,
      depth: parent.grant.depth + 1,
    },
    ...(name === undefined ? {} : { name }),
  };
}

function nameFault(parent: Delegator, name: string): string | null {
  if (parent.lasting.has(name))
    return `there is an agent ${JSON.stringify(name)} already; message or delete it`;
  const { children } = parent.settings;
  return parent.lasting.size < children ? null : `at most ${children} agents may stay; delete one first`;
}

function passableTools({ tools }: Pick<Delegator, 'tools'>): string[] {
  return [...tools.keys()].filter((name) => !NOT_FOR_CHILDREN.has(name) && name !== 'finish');
}

/** What a child can do to the world at most, which decides whether it may work beside other calls. */
export function childEffect(parent: Delegator, tool: string, args: Json): ToolEffect {
  const plan = planChild(parent, tool, args);
  if (!plan.ok) return 'read';
  return strongestEffect(plan.grant.tools.map((name) => parent.tools.get(name)));
}

function refuse(
  code: 'tool_misuse' | 'policy_denied' | 'budget_refused',
  message: string,
  details?: { cap: number },
): ChildPlan {
  const failure: Failure = {
    code,
    class: code === 'policy_denied' ? 'POLICY' : code === 'tool_misuse' ? 'TOOL_MISUSE' : 'PERMANENT',
    message: `${message}. No agent was started`,
    ...(details === undefined ? {} : { details }),
  };
  return { ok: false, failure };
}
