import { execFile } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import { relative, sep } from 'node:path';
import { ToolError } from '../../kernel/errors.ts';
import { findProgram } from '../find-program.ts';

/** A Python of this machine: its program, and the folders that hold it where those are not the system's. */
export interface Python {
  readonly program: string;
  readonly folders: readonly string[];
}

const ASK = 'import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix]))';
const ASK_MS = 10_000;
const SYSTEM = /^\/(?:usr|bin|lib|nix)(?:\/|$)/;

const found = new Map<string, Promise<Python>>();

/** The Python 3 that `path` leads to, asked once in a process where it lies; throws a ToolError where there is none. */
export function findPython(path: string = process.env['PATH'] ?? ''): Promise<Python> {
  let python = found.get(path);
  if (python === undefined) {
    python = locate(path);
    found.set(path, python);
    // Somebody may install it.
    python.catch(() => found.delete(path));
  }
  return python;
}

async function locate(path: string): Promise<Python> {
  const program = await findProgram('python3', tmpdir(), path);
  const places = await ask(program, path);
  const folders = places.slice(1).filter((folder) => !SYSTEM.test(folder));
  if (folders.some(holdsHome)) {
    throw new ToolError(
      'PERMANENT',
      `python3 (${program}) lies in a folder that holds the home folder of this user`,
    );
  }
  return { program: places[0] ?? program, folders: [...new Set(folders)] };
}

function ask(program: string, path: string): Promise<string[]> {
  const env = { PATH: path, HOME: homedir() };
  return new Promise((resolve, reject) => {
    execFile(program, ['-I', '-c', ASK], { env, timeout: ASK_MS, cwd: tmpdir() }, (error, output) => {
      try {
        if (error !== null) throw new Error(error.message, { cause: error });
        resolve(JSON.parse(output) as string[]);
      } catch (fault) {
        const reason = fault instanceof Error ? fault.message.split('\n')[0] : String(fault);
        reject(new ToolError('PERMANENT', `python3 (${program}) does not run: ${reason}`, { cause: fault }));
      }
    });
  });
}

function holdsHome(folder: string): boolean {
  const below = relative(folder, homedir());
  return below === '' || (below !== '..' && !below.startsWith(`..${sep}`));
}
