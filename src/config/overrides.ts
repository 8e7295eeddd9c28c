/*
 * Values that come before those of the task file: inputs given as values first, then flags, then environment variables.
 *
 * A flag is the path of a field in dots (`budget.toolCalls`); `input` is short for `inputs`, and `input` with the value
 * `cities=Paris,Lima` is the same as `input.cities`. A variable is ORCHESTRATE_ and the path in upper case, words and
 * steps joined by underscores (ORCHESTRATE_BUDGET_TOOL_CALLS); a name of the user's in it is found without regard to
 * case; an empty variable is none.
 */
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { isJsonObject, setOwn, toPlainJson } from '../kernel/json.ts';
import { readInputText, readOptionText } from './override-value.ts';
import type { OverrideProblem } from './problem.ts';
import { didYouMeanHint } from './problem.ts';
import { valueAtPath } from './schema-findings.ts';
import type { TaskOption } from './task-options.ts';
import { ENV_PREFIX, listTaskOptions, toEnvWord } from './task-options.ts';
import { templateNames } from './template.ts';

/** Flags without their dashes, each with its text or texts, the environment, and inputs that are no text to be read. */
export interface OverrideSources {
  readonly inputs?: Readonly<Record<string, Json>>;
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A value that comes before that of the file. */
export interface Override {
  readonly path: readonly string[];
  readonly value: Json;
  /** The flag or variable, as people write it. */
  readonly source: string;
}

/** The overrides in the order in which they apply, and what is wrong with the others; `file` is the task as written. */
export function readOverrides(
  sources: OverrideSources,
  file: Json,
): { overrides: Override[]; problems: OverrideProblem[] } {
  const context: Context = { file, overrides: [], problems: [] };
  for (const [name, text] of Object.entries(sources.env ?? {})) {
    if (name.startsWith(ENV_PREFIX) && text !== undefined && text !== '') takeVariable(name, text, context);
  }
  for (const [name, texts] of Object.entries(sources.flags ?? {})) {
    if (name === 'input' || name === 'inputs') {
      for (const text of refuseRepeated(name, [texts].flat(), context)) takeInput(name, text, context);
    } else {
      takeFlag(name, [texts].flat(), context);
    }
  }
  for (const [name, value] of Object.entries(sources.inputs ?? {})) takeValue(name, value, context);
  return { overrides: context.overrides, problems: context.problems };
}

/** The task as written with the overrides in place; what is not a map stays, for the schema to refuse. */
export function applyOverrides(file: Json, overrides: readonly Override[]): Json {
  return overrides.reduce<Json>((task, override) => withValue(task, override.path, override.value), file);
}

interface Context {
  readonly file: Json;
  readonly overrides: Override[];
  readonly problems: OverrideProblem[];
}

interface Target {
  readonly option: TaskOption;
  readonly path: readonly string[];
}

function takeFlag(name: string, texts: readonly string[], context: Context): void {
  const source = `--${name}`;
  const target = findByFlag(name.replace(/^input\./, 'inputs.'));
  if (target === null) {
    const near = didYouMean(
      name,
      listTaskOptions().map((option) => option.path),
    );
    const hint = near === null ? {} : { hint: `did you mean --${near}?` };
    context.problems.push({ override: source, path: name, message: 'no such field of the task', ...hint });
  } else if (texts.length > 1 && target.option.type !== 'list') {
    context.problems.push({ override: source, path: target.path.join('.'), message: 'given more than once' });
  } else {
    take(target, texts.join(','), source, context);
  }
}

/** The texts of inputs without those of one that is given a second time: it would silently replace the first. */
function refuseRepeated(flag: string, texts: readonly string[], context: Context): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    const name = text.slice(0, Math.max(0, text.indexOf('=')));
    if (name === '' || !seen.has(name)) {
      seen.add(name);
      return true;
    }
    context.problems.push({
      override: `--${flag} ${name}`,
      path: `inputs.${name}`,
      message: 'given more than once',
      hint: `a list is one value: ${name}=a,b, or as JSON where an item holds a comma: '${name}=["a, b","c"]'`,
    });
    return false;
  });
}

function takeInput(flag: string, text: string, context: Context): void {
  const equals = text.indexOf('=');
  const target = findByFlag(`inputs.${text.slice(0, equals)}`);
  if (equals < 1 || target === null) {
    const message = `expected name=value, got ${JSON.stringify(text)}`;
    context.problems.push({
      override: `--${flag}`,
      path: 'inputs',
      message,
      hint: 'such as --input cities=Paris,Lima',
    });
    return;
  }
  take(target, text.slice(equals + 1), `--${flag} ${text.slice(0, equals)}`, context);
}

function takeValue(name: string, value: Json, { file, overrides, problems }: Context): void {
  const path = ['inputs', name];
  const source = `input ${JSON.stringify(name)}`;
  const problem = name === '__proto__' ? { message: 'no such field of the task' } : unknownInput(path, file);
  const plain = problem === null ? plainValue(value) : problem;
  if ('value' in plain) overrides.push({ path, value: plain.value, source });
  else problems.push({ override: source, path: path.join('.'), ...plain });
}

function plainValue(value: Json): { value: Json } | { message: string } {
  try {
    return { value: toPlainJson(value) };
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    return { message: error.message };
  }
}

function takeVariable(name: string, text: string, context: Context): void {
  const target = findByVariable(name.replace(/^ORCHESTRATE_INPUT_/, 'ORCHESTRATE_INPUTS_'), context.file);
  if (target !== null) {
    take(target, text, name, context);
    return;
  }
  // Other parts of the program have variables of their own, so only what looks like a field of the task is refused.
  const variables = listTaskOptions().map((option) => option.env);
  const near = didYouMean(
    name.slice(ENV_PREFIX.length),
    variables.map((variable) => variable.slice(ENV_PREFIX.length)),
  );
  const sections = listTaskOptions().flatMap((option) =>
    option.path.includes('.') ? [sectionOf(option.env)] : [],
  );
  if (near === null && !sections.includes(sectionOf(name))) return;
  const hint = didYouMeanHint(near === null ? null : ENV_PREFIX + near);
  context.problems.push({ override: name, path: '', message: 'no such field of the task', ...hint });
}

function sectionOf(variable: string): string {
  return variable.slice(ENV_PREFIX.length).split('_')[0] ?? '';
}

function take(target: Target, text: string, source: string, context: Context): void {
  const { path, option } = target;
  const isInput = path[0] === 'inputs';
  const problem = repeatedFlag(path, source, context) ?? (isInput ? unknownInput(path, context.file) : null);
  const read =
    problem ??
    (isInput ? readInputText(text, valueAtPath(context.file, path)) : readOptionText(text, option));
  if ('value' in read) context.overrides.push({ path, value: read.value, source });
  else context.problems.push({ override: source, path: path.join('.'), ...read });
}

/** A flag that was given in another form, too, would silently replace that or be replaced. */
function repeatedFlag(
  path: readonly string[],
  source: string,
  { overrides }: Context,
): { message: string } | null {
  if (!source.startsWith('--')) return null;
  const field = path.join('.');
  const other = overrides.find(
    (override) => override.source.startsWith('--') && override.path.join('.') === field,
  );
  return other === undefined ? null : { message: `given more than once: as ${other.source}, too` };
}

/** An input that neither the file has nor a template uses is a slip: it would change nothing. */
function unknownInput(path: readonly string[], file: Json): { message: string; hint?: string } | null {
  const name = path[1] ?? '';
  const inputs = valueAtPath(file, ['inputs']) ?? {};
  if (!isJsonObject(inputs) || Object.hasOwn(inputs, name)) return null;
  const used = [['goal'], ['verify', 'checks'], ['verify', 'rubric']].flatMap((place) =>
    templateNames(valueAtPath(file, place)),
  );
  if (used.includes(name)) return null;
  const known = [...new Set([...Object.keys(inputs), ...used])];
  const near = didYouMean(name, known);
  const listed = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  return {
    message: `the task has no input "${name}"`,
    ...(near === null ? { hint: listed } : didYouMeanHint(near)),
  };
}

/** The field that a path in dots names; names of the user's may hold dots. */
function findByFlag(dotted: string): Target | null {
  for (const option of listTaskOptions()) {
    const [before, after] = option.path.split('<name>');
    if (after === undefined) {
      if (dotted === option.path) return { option, path: option.path.split('.') };
      continue;
    }
    const name = dotted.slice(before?.length, dotted.length - after.length);
    if (name !== '' && name !== '__proto__' && dotted === `${before}${name}${after}`) {
      return { option, path: pathOf(option, name) };
    }
  }
  return null;
}

function findByVariable(variable: string, file: Json): Target | null {
  for (const option of listTaskOptions()) {
    const [before, after] = option.env.split('<NAME>');
    if (after === undefined) {
      if (variable === option.env) return { option, path: option.path.split('.') };
      continue;
    }
    const word = variable.slice(before?.length, variable.length - after.length);
    if (word !== '' && variable === `${before}${word}${after}`) {
      return { option, path: pathOf(option, nameOfWord(word, option, file)) };
    }
  }
  return null;
}

/** The name that a word of a variable stands for: one that the file uses, or else the word in camel case. */
function nameOfWord(word: string, option: TaskOption, file: Json): string {
  const record = option.path.split('.')[0] ?? '';
  const known = valueAtPath(file, [record]);
  const used = record === 'inputs' ? templateNames(file) : [];
  const names = [...(isJsonObject(known) ? Object.keys(known) : []), ...used];
  return (
    names.find((name) => toEnvWord(name) === word) ??
    word.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  );
}

function pathOf(option: TaskOption, name: string): string[] {
  return option.path.split('.').map((step) => (step === '<name>' ? name : step));
}

function withValue(target: Json, path: readonly string[], value: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (!isJsonObject(target)) return target;
  const current = Object.hasOwn(target, step) ? (target[step] as Json) : undefined;
  const result: Record<string, Json> = { ...target };
  setOwn(result, step, rest.length === 0 ? value : withValue(current ?? {}, rest, value));
  return result;
}
