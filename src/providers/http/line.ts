/*
 * The line of one attempt: the fetch that an SDK is given. It owns the abort of the attempt, the idle timer and what
 * went wrong below HTTP; it knows nothing of what is said over it.
 *
 * 1. Whatever ends the attempt early (the caller's abort, silence) closes the socket.
 * 2. A stream that ends cleanly after an event without its blank line still delivers that event.
 * 3. After `close` no timer and no listener is left.
 */
import { OrchestratorError } from '../../kernel/errors.ts';

/** How long the rest of a stream may take once its end marker has come. */
const END_TIMEOUT_MS = 1000;

const BLANK_LINE = new TextEncoder().encode('\n\n');

/** What a line is opened with. */
export interface LineOptions {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly idleTimeoutMs: number;
  /** A streamed answer must begin within the idle time too; any other may take its time to be made. */
  readonly isStreamed: boolean;
  /** Whether the connection may have carried a call before, and carry another. */
  readonly isKeptOpen: boolean;
  readonly fetch?: typeof fetch | undefined;
}

/** The connection of one attempt. */
export class Line {
  readonly #options: LineOptions;
  readonly #controller = new AbortController();
  #idleTimeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #failure: OrchestratorError | null = null;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#idleTimeoutMs = options.idleTimeoutMs;
    options.signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Aborted with the caller's signal, and when the line was silent for too long. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What went wrong below HTTP: `model_unreachable`; null while nothing has. */
  get failure(): OrchestratorError | null {
    return this.#failure;
  }

  /** The end marker has come: what follows may take but a moment. */
  readonly expectEnd = (): void => {
    this.#idleTimeoutMs = Math.min(this.#idleTimeoutMs, END_TIMEOUT_MS);
    if (this.#timer !== undefined) this.#watch();
  };

  /** Lets go of the timer and the caller's signal. */
  close(): void {
    this.#unwatch();
    this.#options.signal.removeEventListener('abort', this.#abort);
  }

  /** The fetch of this line. Redirects are answers: a key must not follow one to another host. */
  readonly fetch = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const { isStreamed, isKeptOpen, fetch: ownFetch = fetch } = this.#options;
    if (isStreamed) this.#watch();
    try {
      const headers = new Headers(init?.headers);
      if (!isKeptOpen) headers.set('connection', 'close');
      const response = await ownFetch(input, { ...init, headers, redirect: 'manual' });
      return response.body === null ? response : this.#watchBody(response, response.body);
    } catch (thrown) {
      throw this.#fail(thrown);
    } finally {
      this.#unwatch();
    }
  };

  #watchBody(response: Response, body: ReadableStream<Uint8Array>): Response {
    const reader = body.getReader();
    const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const watched = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          this.#watch();
          try {
            const { done, value } = await reader.read();
            if (!done) {
              controller.enqueue(value);
              return;
            }
            if (isEventStream) controller.enqueue(BLANK_LINE);
            controller.close();
          } catch (thrown) {
            controller.error(this.#fail(thrown));
          } finally {
            this.#unwatch();
          }
        },
        cancel: (reason) => {
          this.#unwatch();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    return new Response(watched, { status, statusText, headers });
  }

  #watch(): void {
    this.#unwatch();
    this.#timer = setTimeout(this.#expire, this.#idleTimeoutMs);
  }

  #unwatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #abort = (): void => {
    this.#controller.abort(this.#options.signal.reason);
  };

  readonly #expire = (): void => {
    const { name } = this.#options;
    this.#failure ??= new OrchestratorError(
      'model_unreachable',
      `${name} sent nothing for ${this.#idleTimeoutMs} ms`,
      {
        details: { provider: name, idleTimeoutMs: this.#idleTimeoutMs },
      },
    );
    this.#controller.abort(this.#failure);
  };

  /** What is thrown on for an error of the connection; an abort is passed on as it is. */
  #fail(thrown: unknown): unknown {
    if (this.#failure !== null) return this.#failure;
    if (this.#controller.signal.aborted) return thrown;
    const code = systemCode(thrown);
    this.#failure = new OrchestratorError(
      'model_unreachable',
      `the connection to ${this.#options.name} failed${code === null ? '' : `: ${code}`}`,
      { details: { provider: this.#options.name, ...(code === null ? {} : { code }) }, cause: thrown },
    );
    return this.#failure;
  }
}

/** The code of the system error below a failed fetch, such as ECONNREFUSED. */
function systemCode(thrown: unknown): string | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return null;
}
