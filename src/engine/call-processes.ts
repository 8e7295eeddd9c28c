import type { ChildGroup, ProcessRequest } from '../contracts/process.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { EnginePorts } from './ports.ts';

/** What a call has to say about itself before and after a program is started for it. */
interface Call {
  readonly isOver: boolean;
  /** Why it was aborted; null while it goes on. */
  readonly failure: unknown;
}

/** The programs that one call of a tool has started and that end with it. */
export class CallProcesses {
  readonly #groups = new Set<ChildGroup>();

  /** Starts a program in the workspace unless it says otherwise; throws `aborted` where the call is over by then. */
  async spawn(
    ports: EnginePorts,
    request: ProcessRequest,
    workspace: string,
    call: Call,
  ): Promise<ChildGroup> {
    refuseEnded(call);
    if (ports.spawn === undefined) {
      throw new OrchestratorError('tool_failed', 'no program can be started in this process');
    }
    const group = await ports.spawn({ cwd: workspace, ...request });
    if (request.lifetime === 'run') return group;
    this.#groups.add(group);
    void group.ended.then(() => this.#groups.delete(group));
    if (call.isOver || call.failure !== null) await group.stop(0);
    refuseEnded(call);
    return group;
  }

  /** Ends them all; resolves when they are gone. Null where there is none. */
  end(graceMs: number): Promise<unknown> | null {
    if (this.#groups.size === 0) return null;
    return Promise.all([...this.#groups].map((group) => group.stop(graceMs)));
  }
}

function refuseEnded(call: Call): void {
  if (call.isOver || call.failure !== null) {
    throw new OrchestratorError('aborted', 'the call that starts a program has ended');
  }
}
