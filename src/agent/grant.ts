/*
 * What an agent may call. Its logged grant takes the plan's place in I7: a call that the grant does not cover is never
 * made, whatever the model, a tool's output or a context file says.
 */
import type { AgentGrant } from '../contracts/agent.ts';
import type { Failure } from '../contracts/failure.ts';
import { describeIssues } from '../contracts/json-answer.ts';
import { schemaIssues } from '../contracts/schema.ts';
import type { ToolEffect, ToolSpec } from '../contracts/tool.ts';
import { cutText } from '../kernel/cut-text.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { AGENT_TOOLS, isChildTool, isLocalTool } from './agent-tools.ts';
import { suggestTool } from './suggest-tool.ts';

/** What an agent without a parent is granted: tools of the catalogue that policy grants, and some of the agents' own. */
export function rootGrant(request: {
  /** Those that policy does not withhold. */
  readonly catalogue: readonly ToolSpec[];
  /** Only these; all where not given. */
  readonly names?: readonly string[];
  /** Names of the agents' own tools that it may use. */
  readonly own: readonly string[];
  readonly policy: Pick<AgentGrant, 'effects' | 'approve'>;
  readonly iterations: number;
}): AgentGrant {
  const { catalogue, names, own, policy, iterations } = request;
  const tools = catalogue
    .filter(({ name, effect }) => policy.effects.includes(effect) && (names?.includes(name) ?? true))
    .map(({ name }) => name);
  const { effects, approve } = policy;
  return { tools: [...tools, ...own], effects, approve, iterations, depth: 1 };
}

/** The tools of a grant by name: those of the catalogue that it names and whose effects it allows, and the agent's own. */
export function grantedTools(grant: AgentGrant, catalogue: Iterable<ToolSpec>): Map<string, ToolSpec> {
  const named = new Set([...grant.tools, 'finish']);
  const tools = new Map<string, ToolSpec>();
  for (const tool of [...catalogue, ...AGENT_TOOLS]) {
    if (named.has(tool.name) && grant.effects.includes(tool.effect)) tools.set(tool.name, tool);
  }
  const finish = AGENT_TOOLS.find(({ name }) => name === 'finish');
  if (finish !== undefined) tools.set(finish.name, finish);
  return tools;
}

/** Why a call is not covered by the grant or does not fit its tool; null where it may be made. */
export function callProblem(
  tools: ReadonlyMap<string, ToolSpec>,
  call: { readonly tool: string; readonly args: Json },
): Failure | null {
  const spec = tools.get(call.tool);
  if (spec === undefined) {
    const near = suggestTool(call.tool, [...tools.keys()]);
    return misuse(
      `there is no tool ${JSON.stringify(cutText(call.tool, 100))}; ${near === null ? `the tools are ${listNames(tools)}` : `did you mean ${near}?`} Nothing was executed`,
      near === null ? {} : { suggestion: near },
    );
  }
  if (!isJsonObject(call.args)) {
    const given = cutText(JSON.stringify(call.args), 200);
    return misuse(`the arguments of ${spec.name} must be one JSON object, not ${given}`, {});
  }
  const issues = schemaIssues(spec.input, call.args);
  if (issues.length === 0) return null;
  return misuse(
    `the arguments break the schema of ${spec.name}: ${describeIssues(issues.slice(0, 20)).join('; ')}`,
    {
      issues: issues.slice(0, 20) as unknown as Json,
    },
  );
}

function misuse(message: string, details: Record<string, Json>): Failure {
  return {
    code: 'tool_misuse',
    class: 'TOOL_MISUSE',
    message,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

function listNames(tools: ReadonlyMap<string, ToolSpec>): string {
  return cutText([...tools.keys()].join(', '), 1000) + '.';
}

/** Whether a person must consent to a call. An irreversible one always asks; what an agent answers itself never does. */
export function needsConsent(approve: AgentGrant['approve'], spec: ToolSpec): boolean {
  if (spec.effect === 'irreversible') return true;
  if (isLocalTool(spec.name)) return false;
  switch (approve) {
    case 'none':
    case 'irreversible':
      return false;
    case 'write':
      return spec.effect === 'write' && !isChildTool(spec.name);
    case 'all':
      return true;
  }
}

const STRENGTH: readonly ToolEffect[] = ['read', 'write', 'irreversible'];

/** The strongest effect of some tools; `read` where there are none. */
export function strongestEffect(tools: readonly (ToolSpec | undefined)[]): ToolEffect {
  const strengths = tools.map((tool) => STRENGTH.indexOf(tool?.effect ?? 'read'));
  return STRENGTH[Math.max(0, ...strengths)] ?? 'read';
}
