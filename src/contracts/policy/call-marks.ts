import { z } from 'zod';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import type { Policy } from '../policy.ts';
import type { ToolSpec } from '../tool.ts';
import {
  type ArgumentForm,
  type ArgumentPolicy,
  dangerousArguments,
  refusedArguments,
} from './judge-arguments.ts';

/** The form of marks in the log. */
export const callMarksSchema = {
  taint: z
    .array(z.strictObject({ argument: z.string(), from: z.array(z.string()) }))
    .optional()
    .meta({
      description: 'Arguments that hold what came from the open world, and the nodes that it came from.',
    }),
  dangers: z
    .array(z.strictObject({ argument: z.string(), reason: z.string() }))
    .optional()
    .meta({ description: 'Why what arguments name is not known to be harmless.' }),
};

/** What a person is told of a call beside its arguments; a call with marks waits for one. */
export interface CallMarks {
  readonly taint?: readonly { readonly argument: string; readonly from: readonly string[] }[];
  readonly dangers?: readonly { readonly argument: string; readonly reason: string }[];
}

/** Whether a call, or a question about one, has marks. */
export function isMarked({ taint = [], dangers = [] }: CallMarks): boolean {
  return taint.length > 0 || dangers.length > 0;
}

/** What policy says of a call: why it refuses it, or the marks with which it is asked about. */
export type CallJudgement =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'permitted'; readonly marks: CallMarks };

/** A call as policy looks at it. `taintOf` gives the nodes of the open world that an argument came from. */
export interface JudgedCall {
  readonly tool: Pick<ToolSpec, 'name' | 'effect' | 'argumentKinds'>;
  readonly args: Json;
  /** Left out in logs of before, which looked into no object. */
  readonly form?: ArgumentForm;
  readonly workspace: string;
  readonly taintOf: (argument: string) => readonly string[];
}

/** The policy that looks at calls. */
export type CallPolicy = ArgumentPolicy & Pick<Policy, 'tainted'>;

/**
 * What policy says of a call before it is started, whoever makes it: a node of the plan, or an agent. Pure, so that a
 * replay says the same.
 */
export function judgeCall(
  { tool, args, form, workspace, taintOf }: JudgedCall,
  policy: CallPolicy,
): CallJudgement {
  const [refused] = refusedArguments(tool, args, policy, workspace, form);
  if (refused !== undefined) return refusal(tool.name, refused.argument, refused.reason);
  const taint = taintMarks(tool, args, policy, taintOf);
  const [first] = taint;
  if (first !== undefined && policy.tainted === 'deny') {
    return refusal(
      tool.name,
      first.argument,
      `holds what came from the open world: ${first.from.join(', ')}`,
    );
  }
  const dangers = dangerousArguments(tool, args, policy, form);
  return {
    kind: 'permitted',
    marks: { ...(taint.length > 0 ? { taint } : {}), ...(dangers.length > 0 ? { dangers } : {}) },
  };
}

/** A judgement that refuses a call for one of its arguments. */
export function refusal(tool: string, argument: string, reason: string): CallJudgement {
  return { kind: 'refused', reason: `${tool}, argument "${argument}": ${reason}` };
}

function taintMarks(
  { effect, argumentKinds = {} }: JudgedCall['tool'],
  args: Json,
  { tainted = 'allow' }: CallPolicy,
  taintOf: JudgedCall['taintOf'],
): { argument: string; from: readonly string[] }[] {
  if (tainted === 'allow' || !isJsonObject(args)) return [];
  const looked = effect === 'irreversible' ? Object.keys(args) : Object.keys(argumentKinds);
  return looked.flatMap((argument) => {
    const from = Object.hasOwn(args, argument) ? taintOf(argument) : [];
    return from.length === 0 ? [] : [{ argument, from }];
  });
}
