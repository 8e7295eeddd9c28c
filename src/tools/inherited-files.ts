import { readdirSync, readFileSync } from 'node:fs';

/** As Linux writes it in octal numbers. */
const CLOSED_FOR_PROGRAMS = 0o2000000;

/**
 * Numbers of the files, from 3 on, that are open in this process and would be in each program that it starts: those that
 * it was started with, such as the lock of a script (`exec 200>lock`), of which Node closes the lower ones only.
 */
export function inheritedFiles(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((file) => file > 2 && isInherited(file));
  } catch {
    // Not every system shows them.
    return [];
  }
}

function isInherited(file: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'latin1')) ?? [];
    return flags !== undefined && (parseInt(flags, 8) & CLOSED_FOR_PROGRAMS) === 0;
  } catch {
    // It was the list itself.
    return false;
  }
}
