import type PQueue from 'p-queue';
import type { Tool } from '../contracts/tool.ts';

/** A tool's `run` whose calls start at most so many times in any minute; a call aborted while it waits never starts. */
export function rateLimitedRun(run: Tool['run'], perMinute: number): Tool['run'] {
  let lane: Promise<PQueue> | undefined;
  return async (args, context) => {
    lane ??= openLane(perMinute);
    // Only the start passes through the queue: a running call is ended by its own signal, not by the queue.
    await (await lane).add(passLane, { signal: context.signal });
    return run(args, context);
  };
}

async function openLane(perMinute: number): Promise<PQueue> {
  const { default: Queue } = await import('p-queue');
  return new Queue({ interval: 60_000, intervalCap: perMinute, strict: true });
}

function passLane(): void {
  // Having been let through is all that is asked of the lane.
}
