import { describeIssues } from '../contracts/json-answer.ts';
import { type JsonSchema, schemaIssues } from '../contracts/schema.ts';
import type { Check } from '../contracts/task.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { Json } from '../kernel/json.ts';
import type { CheckContext } from './check-context.ts';
import { findUngrounded } from './grounded.ts';
import { missingWords } from './missing-words.ts';
import { headingsOf } from './headings.ts';
import { reportText } from './report-text.ts';

/** Characters of the report that a pattern is tried on: nothing can interrupt a pattern that takes too long. */
const MATCHED_CHARS = 100_000;
const LISTED_FAULTS = 50;

/** The result of each check, in their order; the same for the same report, and never an error. */
export function runChecks(checks: readonly Check[], context: CheckContext): CheckResult[] {
  const text = reportText(context.report);
  return checks.map((check, index) => runCheck(check, index, text, context));
}

function runCheck(check: Check, index: number, text: string, context: CheckContext): CheckResult {
  if ('includes' in check) return checkIncludes(toList(check.includes), text);
  if ('matches' in check) return checkMatches(check.matches, text);
  if ('jsonSchema' in check) return checkSchema(check.jsonSchema, context.report);
  if ('minLength' in check) return checkLength('minLength', check.minLength, text);
  if ('maxLength' in check) return checkLength('maxLength', check.maxLength, text);
  if ('sections' in check) return checkSections(toList(check.sections), text);
  if ('function' in check) {
    const name = `function ${check.function}`;
    return context.functionResults.get(index) ?? { name, ok: false, message: 'the function was not called' };
  }
  return checkGrounded(check.grounded === true ? 0 : check.grounded.tolerance, context);
}

function checkIncludes(items: readonly string[], text: string): CheckResult {
  const missing = missingWords(text, items);
  return {
    name: nameWith('includes', items),
    ok: missing.length === 0,
    message:
      missing.length === 0
        ? 'the report names each as a word'
        : `the report does not name ${quoteAll(missing)}`,
  };
}

function checkSections(items: readonly string[], text: string): CheckResult {
  const missing = missingWords(headingsOf(text).join('\n\u0000'), items);
  return {
    name: nameWith('sections', items),
    ok: missing.length === 0,
    message: missing.length === 0 ? 'each has a heading' : `no heading names ${quoteAll(missing)}`,
  };
}

function checkMatches(pattern: string, text: string): CheckResult {
  const name = cutText(`matches ${pattern}`, 120);
  const tested = text.length > MATCHED_CHARS ? text.slice(0, MATCHED_CHARS) : text;
  try {
    const ok = new RegExp(pattern, 'su').test(tested);
    const where = tested === text ? 'the report' : `the first ${MATCHED_CHARS} characters of the report`;
    return { name, ok, message: ok ? `${where} matches` : `nothing in ${where} matches` };
  } catch (error) {
    return { name, ok: false, message: `the pattern is not valid: ${describeThrown(error)}` };
  }
}

function checkSchema(schema: JsonSchema, report: Json): CheckResult {
  const name = 'jsonSchema';
  let value = report;
  if (typeof report === 'string') {
    try {
      value = JSON.parse(report) as Json;
    } catch {
      return { name, ok: false, message: 'the output is a text that is not JSON' };
    }
  }
  try {
    const faults = describeIssues(schemaIssues(schema, value));
    return { name, ok: faults.length === 0, message: joinFaults(faults) || 'the output meets the schema' };
  } catch (error) {
    return { name, ok: false, message: `the schema cannot be applied: ${describeThrown(error)}` };
  }
}

function checkLength(kind: 'minLength' | 'maxLength', limit: number, text: string): CheckResult {
  let length = 0;
  for (const codePoint of text) length += codePoint === '' ? 0 : 1;
  const ok = kind === 'minLength' ? length >= limit : length <= limit;
  return { name: `${kind} ${limit}`, ok, message: `the report has ${length} characters` };
}

function checkGrounded(tolerance: number, context: CheckContext): CheckResult {
  const { ungrounded, checked } = findUngrounded(context.report, context, tolerance);
  const faults = ungrounded.map(({ raw, place }) => `${cutText(raw, 60)} (${place})`);
  return {
    name: tolerance === 0 ? 'grounded' : `grounded within ${tolerance}`,
    ok: faults.length === 0,
    message:
      faults.length === 0
        ? `all ${checked} numbers of the report stand in a result, the goal or the inputs`
        : `in no result, goal or input: ${joinFaults(faults)}`,
  };
}

function toList(items: string | readonly string[]): readonly string[] {
  return typeof items === 'string' ? [items] : items;
}

function nameWith(kind: string, items: readonly string[]): string {
  return cutText(`${kind} ${items.join(', ')}`, 120);
}

function quoteAll(items: readonly string[]): string {
  return items.map((item) => JSON.stringify(item)).join(', ');
}

function joinFaults(faults: readonly string[]): string {
  const more = faults.length - LISTED_FAULTS;
  return faults.slice(0, LISTED_FAULTS).join(', ') + (more > 0 ? `, and ${more} more` : '');
}

function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
