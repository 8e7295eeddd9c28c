import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findProgram } from '../find-program.ts';
import { isolationArguments } from './sandbox-arguments.ts';

/** What confines programs on this machine, as it was found by trying it, or why nothing does. */
export type Sandbox =
  | { readonly isUsable: true; readonly program: string; readonly isRecent: boolean }
  | { readonly isUsable: false; readonly reason: string };

/** How long a program that does nothing may take in a sandbox. */
const PROBE_MS = 10_000;

const found = new Map<string, Promise<Sandbox>>();

/**
 * The sandbox of this machine (bubblewrap), looked for in `path` and tried once in a process: where it is installed it
 * may still be unable to make namespaces, as in many containers.
 */
export function findSandbox(path: string = process.env['PATH'] ?? ''): Promise<Sandbox> {
  let sandbox = found.get(path);
  if (sandbox === undefined) {
    sandbox = probe(path);
    found.set(path, sandbox);
  }
  return sandbox;
}

async function probe(path: string): Promise<Sandbox> {
  if (process.platform !== 'linux')
    return unusable(`bubblewrap runs on Linux only, this is ${process.platform}`);
  const program = await findProgram('bwrap', tmpdir(), path).catch(() => null);
  if (program === null) return unusable('bubblewrap (bwrap) is not installed');
  const fault = await tryIt(program, true);
  if (fault === null) return { isUsable: true, program, isRecent: true };
  // Older ones do not know all that is asked of it.
  const olderFault = /unknown option/i.test(fault) ? await tryIt(program, false) : fault;
  return olderFault === null ? { isUsable: true, program, isRecent: false } : unusable(olderFault);
}

function unusable(reason: string): Sandbox {
  return { isUsable: false, reason };
}

/** Why nothing can be run in it; null where it can. */
function tryIt(program: string, isRecent: boolean): Promise<string | null> {
  const args = [...isolationArguments({ hasNetwork: false, isRecent }), '--', '/bin/sh', '-c', ':'];
  return new Promise((resolve) => {
    execFile(program, args, { env: {}, timeout: PROBE_MS, killSignal: 'SIGKILL' }, (error, _out, errors) => {
      if (error === null) resolve(null);
      else if (error.killed === true) resolve(`bwrap did not end within ${PROBE_MS} ms`);
      else resolve(errors.trim().split('\n')[0] || error.message);
    });
  });
}
