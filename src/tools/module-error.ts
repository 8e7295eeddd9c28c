import { dirname, sep } from 'node:path';
import { OrchestratorError } from '../kernel/errors.ts';

/**
 * What a user is told when his module threw while it was loaded: the file, the position in it (or in a module beside
 * it) where that is known, and the original message. Keeps the code of an OrchestratorError.
 */
export function toModuleError(file: string, thrown: unknown): OrchestratorError {
  const text = thrown instanceof Error ? `${thrown.message}\n${thrown.stack ?? ''}` : '';
  const position = findPosition(text, file);
  const message = describe(thrown);
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

/** The first `file:line:column` that lies in the module, else in one of its folder that is no package. */
function findPosition(text: string, file: string): string | undefined {
  const positions = [...text.matchAll(/(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^\s()]*?:\d+:\d+)/g)].flatMap(
    ([, position]) => (position === undefined ? [] : [position]),
  );
  const folder = dirname(file) + sep;
  return (
    positions.find((position) => position.startsWith(`${file}:`)) ??
    positions.find(
      (position) => position.startsWith(folder) && !position.includes(`${sep}node_modules${sep}`),
    )
  );
}

/** The first line of the message: what follows is a code frame, a require stack or a position. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error))
    return `threw ${typeof thrown === 'string' ? JSON.stringify(thrown) : `a ${typeof thrown}`}`;
  const [line = ''] = thrown.message.split('\n');
  return line.replace(/^ParseError: /, '').trim() || thrown.name;
}

function isMissingPackage(thrown: unknown): boolean {
  const code = thrown instanceof Error ? (thrown as { code?: unknown }).code : undefined;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
}
