import type { ChildGroup, ProcessRequest } from '../contracts/process.ts';
import type { ProcessGroups } from '../tools/processes.ts';

/** The processes of one run; what starts and ends them is loaded with the first. */
export class RunProcesses {
  #groups: Promise<ProcessGroups> | null = null;

  async spawn(request: ProcessRequest & { readonly cwd: string }): Promise<ChildGroup> {
    this.#groups ??= import('../tools/processes.ts').then((module) => new module.ProcessGroups());
    return (await this.#groups).spawn(request);
  }

  /** Ends all of them; resolves when they are gone. */
  async close(): Promise<void> {
    if (this.#groups !== null) await (await this.#groups).close();
  }
}
