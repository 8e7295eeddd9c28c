import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OrchestratorError } from '../kernel/errors.ts';

/**
 * What a user is told when his module threw while it was loaded: the file, the position in it (or in a module beside
 * it) where that is known, and the original message. Keeps the code of an OrchestratorError.
 */
export function toModuleError(file: string, thrown: unknown): OrchestratorError {
  const position = findPosition(thrown);
  const message = describeThrown(thrown);
  const where = position ?? file;
  if (thrown instanceof OrchestratorError) {
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
 * `file:line` from the stack, whose columns are those of the compiled code.
 */
export function findPosition(thrown: unknown): string | undefined {
  // An import that is not found is blamed on generated code, whose positions mean nothing.
  if (!(thrown instanceof Error) || isMissingPackage(thrown)) return undefined;
  const unreadable = thrown.message.startsWith('ParseError: ') ? UNREADABLE.exec(thrown.message) : null;
  if (unreadable !== null) {
    const [, file, line, column] = unreadable;
    return `${file ?? ''}:${line ?? ''}:${Number(column) + 1}`;
  }
  for (const [, place = '', line = ''] of (thrown.stack ?? '').matchAll(FRAME)) {
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (file.startsWith(OWN_FOLDER) || file.includes('<anonymous>')) continue;
    if (!file.includes(`${sep}node_modules${sep}`)) return `${file}:${line}`;
  }
  return undefined;
}

/** The first line of the message: what follows is a code frame, a require stack or a position. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error))
    return `threw ${typeof thrown === 'string' ? JSON.stringify(thrown) : `a ${typeof thrown}`}`;
  const [line = ''] = thrown.message.split('\n');
  return line.replace(/^ParseError: /, '').trim() || thrown.name;
}

function isMissingPackage(thrown: unknown): boolean {
  const code = thrown instanceof Error ? (thrown as { code?: unknown }).code : undefined;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
}
