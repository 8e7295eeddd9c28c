import { cutText } from '../kernel/cut-text.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from '../kernel/json.ts';
import { extractJson } from '../kernel/json-text.ts';
import { balanceBrackets, nullNonNumbers } from './mend-json.ts';

const THOUGHT_KINDS = ['text', 'reasoning', 'plan', 'criticism', 'speak'] as const;
const THOUGHT_CHARS = 4000;

/** What a model says that it thinks, beside its command. */
export type Thoughts = { readonly [Kind in (typeof THOUGHT_KINDS)[number]]?: string };

/** A command as JSON in a text: `thoughts` and `command {name, args}`; or none, or one that cannot be read. */
export type CommandReading =
  | { readonly kind: 'command'; readonly name: string; readonly args: Json; readonly thoughts: Thoughts }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly problem: string };

const NONE: CommandReading = { kind: 'none' };

/** Brackets that may be closed for the model: those around the arguments. Its arguments it has to have closed itself. */
const OUTER = 2;

/** A text that tries to be a command, whatever its syntax. */
const ATTEMPT = /["'“]?\b(?:command|thoughts)\b["'”]?\s*:\s*["'“{]/;

/** What a model thought before its answer. */
const THINKING = /^\s*<(think|thinking|reasoning)>[^]*?<\/\1>/;

/**
 * The command that a text holds. Its syntax is mended (fences, tabs, quotes, brackets left open, prose behind it,
 * `None` and `NaN` as null) but nothing is left out. Where the text `mustBegin` with it, one that is merely quoted
 * within an answer is none.
 */
export function readCommand(text: string, mustBegin: boolean): CommandReading {
  if (!ATTEMPT.test(text)) return NONE;
  if (mustBegin && !/^\s*(?:```\w*\s*)?\{/.test(text.replace(THINKING, ''))) return NONE;
  try {
    return readMended(nullNonNumbers(text));
  } catch (error) {
    return broken(error instanceof RangeError ? 'the JSON is nested too deeply' : String(error));
  }
}

function readMended(text: string): CommandReading {
  const whole = extractJson(text, holdsCommand);
  const balanced =
    'problem' in whole && whole.problem === 'truncated_json' ? balanceBrackets(text, OUTER) : null;
  const extraction = balanced === null ? whole : extractJson(balanced, holdsCommand);
  if ('problem' in extraction) return broken(extraction.message);
  const twice = extraction.duplicateKeys[0];
  if (twice !== undefined) return broken(`${twice} stands twice`);
  const value = toPlainJson(extraction.value);
  if (!isJsonObject(value)) return broken('expected one JSON object');
  const { command } = value;
  if (!isJsonObject(command)) return broken('command: expected an object with name and args');
  if (balanced !== null && command['args'] === undefined) return broken('the JSON ends before the arguments');
  const { name, args = {} } = command;
  if (typeof name !== 'string' || name.trim() === '') return broken('command/name: expected a name');
  return { kind: 'command', name: name.trim(), args: args ?? {}, thoughts: readThoughts(value['thoughts']) };
}

function holdsCommand(value: Json): boolean {
  return isJsonObject(value) && isJsonObject(value['command']);
}

function readThoughts(value: Json | undefined): Thoughts {
  if (typeof value === 'string') return { text: cutText(value, THOUGHT_CHARS) };
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    THOUGHT_KINDS.flatMap((kind) => {
      const said = toText(value, kind);
      return said === '' ? [] : [[kind, cutText(said, THOUGHT_CHARS)]];
    }),
  );
}

function toText(thoughts: JsonObject, kind: string): string {
  const said = Object.hasOwn(thoughts, kind) ? thoughts[kind] : null;
  if (said === null || said === undefined) return '';
  if (typeof said === 'string') return said.trim();
  const isLines = Array.isArray(said) && said.every((line) => typeof line === 'string');
  return isLines ? said.map((line) => `- ${line}`).join('\n') : JSON.stringify(said);
}

function broken(problem: string): CommandReading {
  return { kind: 'broken', problem };
}
