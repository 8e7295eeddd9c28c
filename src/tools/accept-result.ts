import { schemaIssues } from '../contracts/schema.ts';
import type { Tool } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { type Json, toPlainJson } from '../kernel/json.ts';

/** Longest result that a tool may return, in characters of its text; the JSON of it may be a little longer. */
export const MAX_RESULT_CHARS = 32 * 1024 * 1024;

/**
 * What a tool's code returned, as frozen plain JSON. Throws `not_json_value` naming tool and pointer, or
 * `tool_output_invalid` where it breaks the tool's output schema or is too large.
 */
export function acceptResult(tool: Tool, returned: unknown): Json {
  const value = toResultJson(tool, returned);
  const { name, output } = tool.spec;
  if (output === undefined) return value;
  const issues = tool.checkOutput === undefined ? schemaIssues(output, value) : tool.checkOutput(value);
  if (issues.length === 0) return value;
  const text = issues.map(({ pointer, message }) => `${pointer || '(root)'}: ${message}`).join('; ');
  throw new OrchestratorError('tool_output_invalid', `tool "${name}" broke its own output schema: ${text}`, {
    details: { tool: name, issues: issues.map(({ pointer, message }) => ({ pointer, message })) },
  });
}

function toResultJson(tool: Tool, returned: unknown): Json {
  const { name } = tool.spec;
  if (returned === undefined) {
    throw new OrchestratorError(
      'not_json_value',
      `tool "${name}" returned undefined; return null for nothing`,
      {
        details: { tool: name, pointer: '' },
      },
    );
  }
  let value: Json;
  try {
    value = toPlainJson(returned);
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    throw new OrchestratorError(error.code, `the result of tool "${name}" is ${error.message}`, {
      details: { tool: name, ...error.details },
      cause: error,
    });
  }
  if (remainingChars(value, MAX_RESULT_CHARS) < 0) {
    throw new OrchestratorError(
      'tool_output_invalid',
      `the result of tool "${name}" is too large: more than ${MAX_RESULT_CHARS} characters`,
      {
        details: { tool: name, maxChars: MAX_RESULT_CHARS },
        hint: 'Write it to a file and return its path.',
      },
    );
  }
  return value;
}

/** What is left of `budget` characters after the text of a value; negative where it does not fit. */
function remainingChars(value: Json, budget: number): number {
  if (typeof value === 'string') return budget - value.length - 2;
  if (typeof value !== 'object' || value === null) return budget - 1;
  let left = budget - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = remainingChars(value[index] as Json, left - 1);
    }
    return left;
  }
  const record = value as { readonly [key: string]: Json };
  for (const key in record) {
    left = remainingChars(record[key] as Json, left - key.length - 4);
    if (left < 0) break;
  }
  return left;
}
