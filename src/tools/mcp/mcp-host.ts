import type { ChildGroup, ProcessRequest } from '../../contracts/process.ts';

/** What servers need of the program that uses them. */
export interface McpHost {
  /** Starts a program in a group of its own; whoever gave this ends what still lives at the end of the run. */
  spawn(request: ProcessRequest & { readonly cwd: string }): Promise<ChildGroup>;
  /** The folder of the task file. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes known credentials out of what a server has printed or reported, before it is cut; none where not given. */
  readonly mask?: (text: string) => string;
  /** What this program calls itself. */
  readonly version: string;
}
