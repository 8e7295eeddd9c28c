import type { Json } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';
import type { TaskOption } from './task-options.ts';

/** The value that a text stands for, or why it stands for none. */
export type ReadText = { readonly value: Json } | { readonly message: string; readonly hint?: string };

/** Reads the text of a flag or variable as the type that its field has; nothing is guessed. */
export function readOptionText(
  text: string,
  { type, takesJson }: Pick<TaskOption, 'type' | 'takesJson'>,
): ReadText {
  switch (type) {
    case 'string':
      return takesJson === true && /^\s*[[{]/.test(text) ? readJson(text) : { value: text };
    case 'integer':
    case 'number':
      return readNumber(text);
    case 'boolean':
      return readBoolean(text);
    case 'list':
      return text.trimStart().startsWith('[') ? readJson(text) : { value: splitList(text) };
    case 'json':
      return readJson(text);
  }
}

/**
 * Reads the text of an input like the value that the task file gives it: a list is split at commas (its items are
 * numbers where the file's are), a number or boolean is read as such, a map as JSON, a text stays as it is.
 */
export function readInputText(text: string, current: Json | undefined): ReadText {
  if (typeof current === 'number') return readNumber(text);
  if (typeof current === 'boolean') return readBoolean(text);
  if (typeof current === 'string') return { value: text };
  if (/^\s*[[{]/.test(text) || isJsonObject(current)) return readJson(text);
  if (!Array.isArray(current)) return { value: text };
  const items = splitList(text);
  if (current.length === 0 || !current.every((item) => typeof item === 'number')) return { value: items };
  const numbers: Json[] = [];
  for (const item of items) {
    const read = readNumber(item);
    if ('message' in read) return read;
    numbers.push(read.value);
  }
  return { value: numbers };
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function readNumber(text: string): ReadText {
  const value = Number(text);
  const isWritten = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text);
  return isWritten && Number.isFinite(value)
    ? { value }
    : { message: `expected a number, got ${JSON.stringify(text)}` };
}

function readBoolean(text: string): ReadText {
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return { message: `expected true or false, got ${JSON.stringify(text)}` };
}

function readJson(text: string): ReadText {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { message: `expected JSON: ${reason}`, hint: 'quote it for the shell' };
  }
}
