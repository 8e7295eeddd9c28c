import type { ToolEffect } from '../contracts/tool.ts';

/** What decides whether a call may run beside others. */
export interface CallTraits {
  readonly effect: ToolEffect;
  readonly isInteractive: boolean;
}

/**
 * The number of the segment of each call, in call order: segments run one after the other, the calls of one at the
 * same time. Neighbours share one only where all of them read; a call that asks a person stands alone.
 */
export function segmentCalls(calls: readonly CallTraits[]): number[] {
  const segments: number[] = [];
  let segment = 0;
  for (const [index, call] of calls.entries()) {
    const before = calls[index - 1];
    if (before !== undefined && !(mayShare(before) && mayShare(call))) segment++;
    segments.push(segment);
  }
  return segments;
}

function mayShare({ effect, isInteractive }: CallTraits): boolean {
  return effect === 'read' && !isInteractive;
}
