import type { Finding } from './doctor-checks.ts';
import type { Io } from './io.ts';

/** Whether programs that models write or choose can be confined here, and bounded in number, as it is found by trying it. */
export async function checkSandbox(env: Io['env']): Promise<Finding> {
  const { findSandbox, findTaskBound } = await import('../compose.ts');
  const sandbox = await findSandbox(env['PATH']);
  if (!sandbox.isUsable) {
    return {
      level: 'warn',
      what: `no sandbox for programs: ${sandbox.reason}`,
      advice:
        'The tools shell, run_python and start_process are refused; install bubblewrap, or see `policy.sandbox`.',
    };
  }
  const what = `programs run in a sandbox (${sandbox.program})`;
  return (await findTaskBound()) === 'none' ? unbounded(what) : { level: 'ok', what };
}

function unbounded(what: string): Finding {
  return {
    level: 'warn',
    what: `${what}, but the system does not bound how many processes they start`,
    advice:
      'They are counted ten times a second instead, which a fork bomb may outrun: do not run as root, or make the control group of pids writable.',
  };
}
