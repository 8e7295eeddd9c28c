import { userInfo } from 'node:os';
import type { Io } from './io.ts';

/** The name of whoever uses this process, for the log. */
export function personOf({ env }: Io): string {
  const named = env['USER'] ?? env['LOGNAME'];
  if (named !== undefined && named !== '') return named;
  try {
    return userInfo().username;
  } catch {
    return 'somebody';
  }
}
