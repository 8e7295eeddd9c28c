import type { ModelAnswer } from '../../contracts/model.ts';
import type { ProviderContext } from '../../contracts/ports.ts';
import type { ApiOptions } from '../api-options.ts';
import { toApiError } from './api-error.ts';
import { Line } from './line.ts';

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

/**
 * One attempt over HTTP: opens a line, hands it to `perform` and closes it. Rejects with the caller's reason when it
 * is aborted, and with a typed error for whatever a server or the network did.
 */
export async function attempt(
  options: ApiOptions,
  context: ProviderContext,
  perform: (line: Line, isStreamed: boolean) => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  const { signal } = context;
  signal.throwIfAborted();
  const { name, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS, isStreamed = true, isKeptOpen = true } = options;
  const line = new Line({ name, signal, idleTimeoutMs, isStreamed, isKeptOpen, fetch: options.fetch });
  try {
    const answer = await perform(line, isStreamed);
    signal.throwIfAborted();
    context.onUsage?.(answer.usage);
    if (!isStreamed && answer.text !== '') context.onDelta?.(answer.text);
    return answer;
  } catch (thrown) {
    signal.throwIfAborted();
    throw line.failure ?? toApiError(thrown, name);
  } finally {
    line.close();
  }
}

/** No timer of an SDK may end a call: the longest that Node.js can wait for. */
export const NO_TIMEOUT_MS = 2_147_483_647;
