import { setMaxListeners } from 'node:events';
import type PQueue from 'p-queue';
import type { ModelRequest } from '../contracts/model.ts';
import type { Provider } from '../contracts/ports.ts';
import { estimateInput } from './estimate-usage.ts';

/** Calls and tokens (estimated from lengths, with the output asked for) that may start in any minute. */
export interface RateLimit {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
}

/** Tokens are let through in parcels, so that a queue that counts starts can count them. */
const PARCELS_PER_MINUTE = 100;

/**
 * The provider, its calls starting at most so many times in any minute, in the order in which they were made. A call
 * that is aborted while it waits rejects with the reason and counts for nothing.
 */
export function rateLimited(provider: Provider, limit: RateLimit): Provider {
  let lanes: Promise<Lanes> | undefined;
  return {
    name: provider.name,
    ...(provider.isStandIn === undefined ? {} : { isStandIn: provider.isStandIn }),
    ...(provider.priceOf === undefined ? {} : { priceOf: (model) => provider.priceOf?.(model) }),
    ...(provider.refreshCredential === undefined
      ? {}
      : { refreshCredential: async () => provider.refreshCredential?.() }),
    async complete(request, context) {
      lanes ??= openLanes(limit);
      const { signal } = context;
      context.onWait?.();
      try {
        const { requests, tokens } = await lanes;
        // Only the start passes through the queues: a running call is ended by its own signal, not by the queue.
        await requests?.add(passLane, { signal });
        if (tokens !== null) await passParcels(tokens, parcelsOf(request, limit), signal);
      } catch (thrown) {
        context.onUsage?.({ inputTokens: 0, outputTokens: 0 });
        throw thrown;
      }
      context.onTurn?.();
      return provider.complete(request, context);
    },
  };
}

interface Lanes {
  readonly requests: PQueue | null;
  readonly tokens: PQueue | null;
}

async function openLanes({ requestsPerMinute, tokensPerMinute }: RateLimit): Promise<Lanes> {
  const { default: Queue } = await import('p-queue');
  const open = (intervalCap: number): PQueue => new Queue({ interval: 60_000, intervalCap, strict: true });
  return {
    requests: requestsPerMinute === undefined ? null : open(requestsPerMinute),
    tokens: tokensPerMinute === undefined ? null : open(PARCELS_PER_MINUTE),
  };
}

/** Parcels of a hundredth of the limit that a call takes: at least one, at most all of a minute. */
function parcelsOf(request: ModelRequest, { tokensPerMinute = Infinity }: RateLimit): number {
  const tokens = estimateInput(request) + request.maxOutputTokens;
  const parcels = Math.ceil((tokens * PARCELS_PER_MINUTE) / tokensPerMinute);
  return Math.min(Math.max(parcels, 1), PARCELS_PER_MINUTE);
}

/** Every parcel listens for the abort, so many as one signal is not meant for. */
async function passParcels(lane: PQueue, parcels: number, signal: AbortSignal): Promise<void> {
  const controller = new AbortController();
  setMaxListeners(parcels + 1, controller.signal);
  const abort = (): void => controller.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.all(
      Array.from({ length: parcels }, () => lane.add(passLane, { signal: controller.signal })),
    );
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function passLane(): void {
  // Having been let through is all that is asked of the lane.
}
