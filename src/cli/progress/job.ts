import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { processStatFields } from '../../kernel/process-stat.ts';

/** The job that this process belongs to, as the shell has it: all processes of one command line. */
export interface Job {
  /** Whether the terminal is this job's. */
  isInForeground(): boolean;
  /** Sends a signal; comes back when it has had its effect here: after a stop when the process was continued. */
  send(signal: NodeJS.Signals, to: 'job' | 'self'): void;
  on(signal: NodeJS.Signals, listener: () => void): void;
  off(signal: NodeJS.Signals, listener: () => void): void;
}

/** The job of this process. */
export const processJob: Job = {
  isInForeground,
  send: (signal, to) => process.kill(to === 'job' ? 0 : process.pid, signal),
  on: (signal, listener) => process.on(signal, listener),
  off: (signal, listener) => process.off(signal, listener),
};

function isInForeground(): boolean {
  // There are neither jobs nor groups of processes.
  if (process.platform === 'win32') return false;
  try {
    const [group, foreground] = readGroups();
    return group !== undefined && group === foreground;
  } catch {
    return false;
  }
}

/** The process group of this process, and the one in the foreground of its terminal. */
function readGroups(): string[] {
  if (process.platform === 'linux') {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group = '', , , foreground = ''] = processStatFields(stat);
    return [group, foreground];
  }
  const listed = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return listed.trim().split(/\s+/);
}
