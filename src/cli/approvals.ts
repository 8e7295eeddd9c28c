import type { RunOptions } from '../index.ts';
import { confirm } from './ask-person.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress/observed.ts';
import { toOneLine } from '../views/text-width.ts';

type Approve = NonNullable<RunOptions['approve']>;

/**
 * Who answers when a call waits for a person: `--yes` for all, the person at the terminal, or nobody (undefined), in
 * which case the run ends waiting.
 */
export function chooseApproval(
  isYes: boolean,
  progress: Progress,
  signal: AbortSignal,
  io: Io,
): Approve | undefined {
  if (isYes) return () => Promise.resolve({ decision: 'approved', by: '--yes' });
  if (io.stderr.isTTY !== true || io.stdin.isTTY !== true) return undefined;
  return async ({ node, tool, args }) => {
    progress.pause();
    try {
      const call = `${tool} ${toOneLine(JSON.stringify(args))}`;
      const isAllowed = await confirm(`${toOneLine(node)} wants to call ${call}. Allow it?`, io, signal);
      return { decision: isAllowed ? 'approved' : 'denied', by: io.env['USER'] ?? 'terminal' };
    } finally {
      progress.resume();
    }
  };
}
