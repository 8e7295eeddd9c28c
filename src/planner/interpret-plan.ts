import { answerFailure } from '../contracts/answer-failure.ts';
import type { ModelAnswer } from '../contracts/model.ts';
import type { PlanProblem } from '../contracts/plan.ts';
import { type Validation, type ValidationContext, validatePlan } from '../dag/validate.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { extractJson } from '../kernel/json-text.ts';

/**
 * The plan that a planner's answer holds, or every problem of it. An answer that was cut off or refused is no plan,
 * however whole the text of one looks that it holds.
 */
export function interpretPlanAnswer(answer: ModelAnswer, context: ValidationContext): Validation {
  const failure = answerFailure(answer);
  if (failure === null || failure.code === 'model_empty') return interpretPlan(answer.text, context);
  const code = failure.code === 'model_truncated' ? 'truncated_json' : 'not_json';
  const problem = { code, pointer: '', message: failure.message, hint: HINTS[code] } as const;
  return { ok: false, problems: [problem], warnings: [] };
}

/** The plan that a text (such as a plan file) holds, or every problem of it; never throws on a text. */
export function interpretPlan(answer: string, context: ValidationContext): Validation {
  const extraction = extractJson(answer, hasPlanShape);
  if ('problem' in extraction) {
    const { problem, message } = extraction;
    return {
      ok: false,
      problems: [{ code: problem, pointer: '', message, hint: HINTS[problem] }],
      warnings: [],
    };
  }
  const duplicates = extraction.duplicateKeys.map(describeDuplicate);
  const validation = validatePlan(extraction.value, context);
  if (duplicates.length === 0) return validation;
  const others = validation.ok ? [] : validation.problems.filter((problem) => !isBeside(problem, duplicates));
  return { ok: false, problems: [...duplicates, ...others], warnings: validation.warnings };
}

/** True for a problem of a node (or of the plan itself) that has a key twice: what it means is not known. */
function isBeside({ pointer }: PlanProblem, duplicates: readonly PlanProblem[]): boolean {
  return duplicates.some((duplicate) => {
    const owner = /^\/nodes\/\d+(?=\/)/.exec(duplicate.pointer)?.[0] ?? '';
    return pointer === owner || pointer.startsWith(`${owner}/`) || owner === '';
  });
}

const HINTS = {
  not_json: 'Answer with the plan as one JSON object.',
  truncated_json: 'Answer with the whole plan; a shorter one where it does not fit.',
  ambiguous_json: 'Answer with one plan only.',
} as const;

function hasPlanShape(value: Json): boolean {
  return isJsonObject(value) && Array.isArray(value['nodes']);
}

function describeDuplicate(pointer: string): PlanProblem {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1);
  return {
    code: 'invalid_shape',
    pointer,
    message: `the key "${key}" stands twice in one object`,
    hint: 'Keep the one that is meant.',
  };
}
