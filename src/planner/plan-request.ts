import type { AnswerFormat, Message } from '../contracts/model.ts';
import type { Plan, PlanProblem } from '../contracts/plan.ts';
import type { JsonSchema } from '../contracts/schema.ts';
import { section } from '../contracts/section.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { MEMORY_INSTRUCTIONS, PLAN_INSTRUCTIONS, REPLAN_INSTRUCTIONS } from './plan-instructions.ts';
import { planJsonSchema } from './plan-schema.ts';
import { strictPlanSchema } from './strict-plan-schema.ts';

/** What a planner is asked with. */
export interface PlanRequestContext {
  readonly goal: string;
  readonly inputs: JsonObject;
  /** The tools that may be used; those that policy withholds are not among them. */
  readonly tools: readonly ToolSpec[];
  /** `toolCalls` are those that the budget has left, where it counts them. */
  readonly limits: { readonly maxNodes: number; readonly foreachItems: number; readonly toolCalls?: number };
  /** Given where the schema of the answer lays down all of a plan, and how many nodes it has if that is laid down too. */
  readonly strict?: { readonly nodes?: number };
  /** Answers that were refused, oldest first. */
  readonly rounds: readonly { readonly answer: string; readonly problems: readonly PlanProblem[] }[];
  /** What was recalled, fenced as data; empty or left out where that is nothing. */
  readonly memory?: string;
  /** What is known where the rest of a plan is drawn anew. */
  readonly replan?: {
    readonly plan: Plan;
    readonly done: readonly { readonly id: string; readonly tool: string }[];
    readonly failures: readonly PlannedFailure[];
    readonly issues?: readonly string[];
  };
}

/** A failed node as a replanner sees it: typed, without any text that a tool wrote. */
export interface PlannedFailure {
  readonly node: string;
  readonly tool: string;
  readonly args: Json;
  readonly code: string;
  readonly class: string;
  readonly details?: Json;
}

/** Longest part of a refused answer that is sent back, in characters, marker included. */
const MAX_ANSWER_LENGTH = 8000;
/** Most problems that are sent back at once. */
const MAX_PROBLEMS = 50;

/** The messages for a planner, or a replanner where the context says so, and the format of its answer. */
export function planRequest(context: PlanRequestContext): {
  readonly messages: readonly Message[];
  readonly format: AnswerFormat;
} {
  const { rounds, replan } = context;
  const messages: Message[] = [
    { role: 'system', content: replan === undefined ? PLAN_INSTRUCTIONS : REPLAN_INSTRUCTIONS },
    { role: 'user', content: describeTask(context) },
  ];
  for (const { answer, problems } of rounds) {
    // Some APIs refuse an empty message.
    messages.push({ role: 'assistant', content: cutText(answer, MAX_ANSWER_LENGTH) || '(no answer)' });
    messages.push({ role: 'user', content: describeProblems(problems) });
  }
  return { messages, format: { name: 'plan', schema: schemaOf(context) } };
}

function schemaOf({ tools, inputs, limits, strict, replan }: PlanRequestContext): JsonSchema {
  if (strict === undefined) return planJsonSchema(tools);
  const done = replan?.done.map(({ id }) => id) ?? [];
  const taken = [...done, ...(replan?.plan.nodes.map(({ id }) => id) ?? [])];
  const maxNodes = Math.min(limits.maxNodes, limits.toolCalls ?? Infinity);
  // How many nodes the rest of a plan has is another matter.
  const nodes = replan === undefined ? strict.nodes : undefined;
  return strictPlanSchema({
    tools,
    inputs,
    maxNodes,
    taken,
    done,
    ...(nodes === undefined ? {} : { nodes }),
  });
}

/** The catalogue comes first, so that what changes from task to task does not break a provider's prompt cache. */
function describeTask({ goal, inputs, tools, limits, replan, memory = '' }: PlanRequestContext): string {
  const sections = [
    section('catalogue', tools.map(describeTool)),
    section('limits', limits),
    section('goal', goal),
    section('inputs', inputs),
  ];
  if (replan !== undefined) {
    sections.push(
      section(
        'plan',
        replan.plan.nodes.map(({ id, tool, args, deps }) => ({ id, tool, args, deps })),
      ),
      section(
        'done',
        replan.done.map(({ id, tool }) => ({ id, tool })),
      ),
      section('failures', replan.failures as unknown as Json),
      section('issues', replan.issues ?? []),
    );
  }
  if (memory !== '') sections.push(MEMORY_INSTRUCTIONS, memory);
  return sections.join('\n');
}

function describeTool({ name, description, input, output, costHint, effect }: ToolSpec): JsonObject {
  return { name, description, input, ...(output === undefined ? {} : { output }), costHint, effect };
}

function describeProblems(problems: readonly PlanProblem[]): string {
  const left = problems.length - MAX_PROBLEMS;
  return [
    'The plan was refused. Answer with the whole plan again, each of these problems corrected.',
    section('problems', problems.slice(0, MAX_PROBLEMS) as unknown as Json),
    ...(left > 0 ? [`(${left} more)`] : []),
  ].join('\n');
}
