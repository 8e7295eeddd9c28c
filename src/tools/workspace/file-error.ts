import { ToolError } from '../../kernel/errors.ts';

/** The code of an error of the system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** What went wrong with a file, for whoever named its path; an error that has a class already is kept. */
export function toFileError(error: unknown, path: string, verb: string): unknown {
  if (error instanceof ToolError) return error;
  const code = systemCode(error);
  if (code === undefined) return error;
  const name = JSON.stringify(path);
  const options = { details: { path, code }, cause: error };
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ToolError('MISSING_INFO', `there is no file ${name}`, options);
    case 'EISDIR':
      return new ToolError('TOOL_MISUSE', `${name} is a folder`, options);
    case 'EEXIST':
      return new ToolError('TOOL_MISUSE', `${name} exists already`, options);
    case 'ELOOP':
      return new ToolError('POLICY', `${name} became a link while it was looked at`, options);
    case 'EMFILE':
    case 'ENFILE':
      return new ToolError('TRANSIENT', `cannot ${verb} ${name}: too many files are open`, options);
    case 'ENOSPC':
    case 'EDQUOT':
      return new ToolError('PERMANENT', `cannot ${verb} ${name}: the disk is full`, options);
    default:
      return new ToolError('PERMANENT', `cannot ${verb} ${name}: ${code}`, options);
  }
}
