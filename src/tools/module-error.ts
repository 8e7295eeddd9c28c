import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_CODES, OrchestratorError } from '../kernel/errors.ts';

/**
 * What a user is told when his module threw while it was loaded: the file, the position in it (or in a module beside
 * it) where that is known, and the original message. Keeps the code of an OrchestratorError.
 */
export function toModuleError(file: string, thrown: unknown): OrchestratorError {
  const position = findPosition(thrown);
  const message = describeThrown(thrown);
  const where = position ?? file;
  if (isTyped(thrown)) {
    return new OrchestratorError(thrown.code, `${where}: ${message}`, {
      details: { ...thrown.details, file },
      hint: thrown.hint,
      cause: thrown,
    });
  }
  return new OrchestratorError('module_failed', `${where}: ${message}`, {
    details: { file },
    ...(isMissingPackage(thrown)
      ? { hint: 'Install the package beside the module, or correct the path.' }
      : {}),
    cause: thrown,
  });
}

const HERE = import.meta.url;

/** Where this program's own code lies (sources, library or bundle), which is never the place of a user's mistake. */
const OWN_FOLDER = fileURLToPath(new URL(HERE.endsWith('.cjs') ? '.' : '..', HERE));

/** A line of the message of jiti where a module cannot be read; its columns count from 0. */
const UNREADABLE = /^\s*((?:[A-Za-z]:)?[\\/].*):(\d+):(\d+)\s*$/m;

const FRAME = /^\s+at (?:.*\()?(?:async )?((?:file:\/\/|(?:[A-Za-z]:)?[\\/]).*?):(\d+):\d+\)?$/gm;

/**
 * The first place in a module of the user's, not in a package: `file:line:column` of what cannot be read, else
 * `file:line` from the stack, whose columns are those of the compiled code. Never throws, whatever was thrown.
 */
export function findPosition(thrown: unknown): string | undefined {
  // An import that is not found is blamed on generated code, whose positions mean nothing.
  if (!isA(thrown, Error) || isMissingPackage(thrown)) return undefined;
  const message = readText(thrown, 'message');
  const unreadable = message.startsWith('ParseError: ') ? UNREADABLE.exec(message) : null;
  if (unreadable !== null) {
    const [, file, line, column] = unreadable;
    return `${file ?? ''}:${line ?? ''}:${Number(column) + 1}`;
  }
  for (const [, place = '', line = ''] of readText(thrown, 'stack').matchAll(FRAME)) {
    const file = place.startsWith('file:') ? toPath(place) : place;
    if (file === null || file.startsWith(OWN_FOLDER) || file.includes('<anonymous>')) continue;
    if (!file.includes(`${sep}node_modules${sep}`)) return `${file}:${line}`;
  }
  return undefined;
}

/**
 * The first line of the message: what follows is a code frame, a require stack or a position. Never throws, whatever
 * was thrown.
 */
export function describeThrown(thrown: unknown): string {
  if (!isA(thrown, Error)) return `threw ${describeValue(thrown)}`;
  const [line = ''] = readText(thrown, 'message').split('\n');
  return (
    line.replace(/^ParseError: /, '').trim() || readText(thrown, 'name') || 'threw an error without a message'
  );
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

function isMissingPackage(thrown: unknown): boolean {
  const code = isA(thrown, Error) ? readText(thrown, 'code') : '';
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
}

function isTyped(thrown: unknown): thrown is OrchestratorError {
  return isA(thrown, OrchestratorError) && Object.hasOwn(ERROR_CODES, readText(thrown, 'code'));
}

// What is thrown may be anything: a proxy whose traps throw, an error whose fields were replaced or have getters.

function isA<T>(thrown: unknown, kind: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** A field that is a text or a number, as a text; empty where it is neither, or cannot be read. */
function readText(thrown: Error, field: string): string {
  try {
    const value: unknown = Reflect.get(thrown, field);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  } catch {
    return '';
  }
}

function toPath(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}
