import { didYouMean } from '../kernel/did-you-mean.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { setOwn } from '../kernel/json.ts';
import type { TaskFinding, TaskPath } from './problem.ts';
import { didYouMeanHint } from './problem.ts';

/** What is wrong with a template. */
interface TemplateFault {
  readonly message: string;
  readonly hint?: string;
}

const TEMPLATE = /(\\?)\{\{([^{}]*)(\}\})?/g;
const WHOLE_TEMPLATE = /^\{\{([^{}]*)\}\}$/;

/**
 * A text with each `{{name}}` replaced by that input, a list joined by `, `, a map as JSON; `\{{` stands for the
 * braces themselves. What cannot be replaced is left as it stands and named in `faults`.
 */
export function expandTemplate(text: string, inputs: JsonObject): { text: string; faults: TemplateFault[] } {
  return replaceTemplates(text, inputs, false);
}

/** The names of inputs that the texts in a value use. */
export function templateNames(value: Json | undefined): string[] {
  if (typeof value === 'string') {
    return [...value.matchAll(TEMPLATE)].flatMap((match) =>
      match[1] === '' && match[3] !== undefined ? [(match[2] ?? '').trim()] : [],
    );
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(templateNames) : [];
}

/**
 * A check with its templates filled in: a text that is one template alone becomes the input with its type, where the
 * check takes texts as text or a list of texts; in a longer pattern an input stands for its own characters.
 */
export function expandCheck(
  check: Json,
  inputs: JsonObject,
  path: TaskPath,
): { value: Json; findings: TaskFinding[] } {
  const findings: TaskFinding[] = [];
  if (typeof check !== 'object' || check === null || Array.isArray(check)) return { value: check, findings };
  const value: Record<string, Json> = {};
  for (const [kind, item] of Object.entries(check as JsonObject)) {
    const expanded = expandValue(item, inputs, kind === 'matches', [...path, kind], findings);
    setOwn(value, kind, TEXT_KINDS.has(kind) && hasTemplate(item) ? toTexts(expanded) : expanded);
  }
  return { value, findings };
}

const TEXT_KINDS = new Set(['includes', 'sections', 'matches', 'function']);

function hasTemplate(value: Json): boolean {
  return templateNames(value).length > 0;
}

function expandValue(
  value: Json,
  inputs: JsonObject,
  isPattern: boolean,
  path: TaskPath,
  findings: TaskFinding[],
): Json {
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => expandValue(item, inputs, isPattern, [...path, index], findings));
  }
  if (typeof value === 'object' && value !== null) {
    const result: Record<string, Json> = {};
    for (const [key, item] of Object.entries(value as JsonObject)) {
      setOwn(result, key, expandValue(item, inputs, isPattern, [...path, key], findings));
    }
    return result;
  }
  if (typeof value !== 'string') return value;
  const name = WHOLE_TEMPLATE.exec(value)?.[1]?.trim();
  if (name !== undefined && faultOf(name, inputs) === null) return inputs[name] as Json;
  const { text, faults } = replaceTemplates(value, inputs, isPattern);
  for (const fault of faults) findings.push({ path, at: 'value', ...fault });
  return text;
}

function replaceTemplates(
  text: string,
  inputs: JsonObject,
  isPattern: boolean,
): { text: string; faults: TemplateFault[] } {
  const faults: TemplateFault[] = [];
  const result = text.replace(
    TEMPLATE,
    (whole, backslash: string, inside: string, end: string | undefined) => {
      // Half a template is an ordinary part of a pattern, such as `[{{]`.
      if (isPattern && end === undefined) return whole;
      if (backslash !== '') return isPattern ? `\\{\\{${inside}\\}\\}` : `{{${inside}${end ?? ''}`;
      const name = inside.trim();
      const fault = end === undefined ? UNCLOSED : faultOf(name, inputs);
      if (fault === null)
        return isPattern ? escapePattern(toText(inputs[name] as Json)) : toText(inputs[name] as Json);
      faults.push(fault);
      return whole;
    },
  );
  return { text: result, faults };
}

const UNCLOSED: TemplateFault = {
  message: 'a template {{ is not closed by }}',
  hint: 'write \\{{ for the braces alone',
};

function faultOf(name: string, inputs: JsonObject): TemplateFault | null {
  if (!Object.hasOwn(inputs, name)) {
    const names = Object.keys(inputs);
    const near = didYouMean(name, names);
    const known = names.length === 0 ? 'the task has no inputs' : `the inputs are ${names.join(', ')}`;
    return {
      message: `no input is named "${name}"`,
      ...(near === null ? { hint: known } : didYouMeanHint(near)),
    };
  }
  if (inputs[name] !== null) return null;
  return { message: `the input "${name}" has no value`, hint: `give it one with --input ${name}=…` };
}

function toText(value: Json): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? value.map((item: Json) => toText(item)).join(', ') : JSON.stringify(value);
}

/** Numbers as texts, lists within lists laid out flat. */
function toTexts(value: Json): Json {
  if (Array.isArray(value)) return value.flatMap((item: Json) => toTexts(item));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
