import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { ToolError } from '../kernel/errors.ts';

/** The path of a program: a name is looked up in `path` (as in PATH), anything with a slash is taken from `cwd`. */
export async function findProgram(command: string, cwd: string, path: string): Promise<string> {
  if (command === '' || command.includes('\0')) {
    throw new ToolError('TOOL_MISUSE', `${JSON.stringify(command)} names no program`);
  }
  const isPath = isAbsolute(command) || command.includes('/');
  const places = isPath
    ? [resolve(cwd, command)]
    : path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(resolve(cwd, folder), command)]));
  for (const place of places) if (await isProgram(place)) return place;
  const advice = isPath ? 'it is missing, or not executable' : 'it is in no folder of PATH';
  throw new ToolError('PERMANENT', `there is no program ${JSON.stringify(command)}: ${advice}`, {
    details: { command },
  });
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
