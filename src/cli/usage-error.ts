import { OrchestratorError } from '../kernel/errors.ts';

/** The error for a command line that cannot be obeyed; exit code 2. */
export function usageError(message: string, hint?: string): OrchestratorError {
  return new OrchestratorError('usage', message, hint === undefined ? {} : { hint });
}
