import type { Price } from '../contracts/budget.ts';

/** What a provider over HTTP is made with. */
export interface ApiOptions {
  /** What it is called in messages, answers and the log. */
  readonly name: string;
  readonly baseUrl: string;
  /** Asked for at every attempt, so that it can be refreshed; null where the server wants none. */
  readonly apiKey: string | null | (() => string | null | Promise<string | null>);
  /** How long the connection may be silent; 60 000 where not given. The total time is up to the caller's signal. */
  readonly idleTimeoutMs?: number;
  /**
   * Whether a connection may carry more than one call; true where not given. Some servers close theirs behind a stream
   * although they promise to keep it, and lose the call that is sent in that moment.
   */
  readonly isKeptOpen?: boolean;
  /** Whether answers are streamed; true where not given. */
  readonly isStreamed?: boolean;
  /** The model for requests that name none. */
  readonly defaultModel?: string;
  /** Headers of every request, such as the organisation that pays. */
  readonly headers?: Readonly<Record<string, string>>;
  /** List price of a model where it is known. */
  readonly priceOf?: (model: string) => Price | undefined;
  readonly fetch?: typeof fetch;
}

/** The key for one attempt. */
export async function currentKey({ apiKey }: Pick<ApiOptions, 'apiKey'>): Promise<string | null> {
  return typeof apiKey === 'function' ? apiKey() : apiKey;
}
