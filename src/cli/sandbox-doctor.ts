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

/** Whether what tools and MCP servers start ends with them whatever it leaves behind, as it is found by trying it. */
export async function checkProcessHold(): Promise<Finding> {
  const { findProcessHold } = await import('../compose.ts');
  const folder = await findProcessHold();
  if (folder !== null) return { level: 'ok', what: `programs are held in control groups (${folder})` };
  return {
    level: 'warn',
    what: 'no control group can be made to hold programs: what leaves its process group with an empty environment may outlive a run',
    advice:
      'On Linux with systemd, start with `systemd-run --user --scope orchestrate …`; or start MCP servers that are not trusted in a container.',
  };
}
