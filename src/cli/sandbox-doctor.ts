import type { Finding } from './doctor-checks.ts';
import type { Io } from './io.ts';

/** Whether programs that models write or choose can be confined here, as it is found by trying it. */
export async function checkSandbox(env: Io['env']): Promise<Finding> {
  const { findSandbox } = await import('../compose.ts');
  const sandbox = await findSandbox(env['PATH']);
  if (sandbox.isUsable) return { level: 'ok', what: `programs run in a sandbox (${sandbox.program})` };
  return {
    level: 'warn',
    what: `no sandbox for programs: ${sandbox.reason}`,
    advice:
      'The tools shell, run_python and start_process are refused; install bubblewrap, or see `policy.sandbox`.',
  };
}
