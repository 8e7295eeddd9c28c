import type { z } from 'zod';
import { CHECK_KINDS, checkSchema } from '../contracts/task.ts';
import { refuseInexpressible } from '../contracts/schema.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';
import { describeValue } from './describe-value.ts';
import type { TaskFinding, TaskPath } from './problem.ts';
import { describeIssues } from './schema-findings.ts';

type CheckKind = (typeof CHECK_KINDS)[number];

/** What is wrong with one check of the task, templates filled in; empty where it can be run. */
export function findCheckProblems(check: Json, path: TaskPath): TaskFinding[] {
  if (!isJsonObject(check)) {
    return [
      {
        path,
        at: 'value',
        message: `expected a check, got ${describeValue(check)}`,
        hint: 'such as includes: Paris',
      },
    ];
  }
  const keys = Object.keys(check);
  const [kind, ...others] = keys.filter(isCheckKind);
  const findings: TaskFinding[] = keys
    .filter((key) => !isCheckKind(key))
    .map((key) => unknownKind(key, path));
  for (const other of others) {
    const message = `a check has one kind, and this one has ${String(kind)} already`;
    findings.push({ path: [...path, other], at: 'key', message, hint: 'make it a check of its own' });
  }
  if (kind !== undefined) findings.push(...findValueProblems(kind, check, path));
  if (keys.length === 0) findings.push({ path, at: 'value', message: 'an empty check', hint: KINDS_HINT });
  return findings;
}

const KINDS_HINT = `the kinds are ${CHECK_KINDS.join(', ')}`;

function isCheckKind(key: string): key is CheckKind {
  return (CHECK_KINDS as readonly string[]).includes(key);
}

function unknownKind(key: string, path: TaskPath): TaskFinding {
  const near = didYouMean(key, CHECK_KINDS);
  const hint = near === null ? KINDS_HINT : `did you mean ${near}? ${KINDS_HINT}`;
  return { path: [...path, key], at: 'key', message: 'unknown kind of check', hint };
}

function findValueProblems(kind: CheckKind, check: JsonObject, path: TaskPath): TaskFinding[] {
  const schema = checkSchema.options.find((option) => kind in option.shape) as z.ZodType | undefined;
  const only = { [kind]: check[kind] as Json };
  const error = schema?.safeParse(only).error;
  if (schema !== undefined && error !== undefined) {
    return describeIssues(schema, error, only).map((finding) => ({
      ...finding,
      path: [...path, ...finding.path],
    }));
  }
  const fault = compileFault(kind, only[kind] as Json);
  return fault === null ? [] : [{ path: [...path, kind], at: 'value', message: fault }];
}

/** Why a pattern or a JSON Schema cannot be used, null where it can. */
function compileFault(kind: CheckKind, value: Json): string | null {
  try {
    if (kind === 'matches') RegExp(value as string, 'su');
    if (kind === 'jsonSchema') refuseInexpressible(value as JsonObject | boolean);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `${kind === 'matches' ? 'the pattern' : 'the schema'} does not compile: ${message}`;
  }
}
