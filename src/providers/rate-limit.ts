import type PQueue from 'p-queue';
import type { Provider } from '../contracts/ports.ts';

/**
 * The provider, its calls starting at most so many times in any minute, in the order in which they were made. A call
 * that is aborted while it waits rejects with the reason and counts for nothing.
 */
export function rateLimited(provider: Provider, limit: { readonly requestsPerMinute: number }): Provider {
  let lane: Promise<PQueue> | undefined;
  return {
    name: provider.name,
    ...(provider.priceOf === undefined ? {} : { priceOf: (model) => provider.priceOf?.(model) }),
    async complete(request, context) {
      lane ??= openLane(limit.requestsPerMinute);
      // Only the start passes through the queue: a running call is ended by its own signal, not by the queue.
      await (await lane).add(passLane, { signal: context.signal });
      return provider.complete(request, context);
    },
  };
}

async function openLane(requestsPerMinute: number): Promise<PQueue> {
  const { default: Queue } = await import('p-queue');
  return new Queue({ interval: 60_000, intervalCap: requestsPerMinute, strict: true });
}

function passLane(): void {
  // Having been let through is all that is asked of the lane.
}
