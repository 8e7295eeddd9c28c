import type { ClientOptions, OpenAI } from 'openai';
import type { ModelRequest } from '../../contracts/model.ts';
import { currentKey } from '../api-options.ts';
import { NO_TIMEOUT_MS } from '../http/attempt.ts';
import type { Line } from '../http/line.ts';
import { requireModel } from '../require-model.ts';
import type { OpenAiOptions } from './options.ts';

/** A client of the SDK for one attempt; it retries nothing and reads nothing from the environment. */
export async function openClient(options: OpenAiOptions, line: Line): Promise<OpenAI> {
  const [{ OpenAI: Client }, apiKey] = await Promise.all([import('openai'), currentKey(options)]);
  const settings: ClientOptions = {
    baseURL: options.baseUrl,
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    fetch: line.fetch,
    logLevel: 'off',
    defaultHeaders: { ...options.headers, ...(apiKey === null ? { Authorization: null } : {}) },
  };
  return new Client(settings);
}

/**
 * The model of a request, or the default. A server of one's own that serves a single model is asked for its name,
 * once; throws `model_bad_request` where there is a choice.
 */
export class ModelChoice {
  readonly #options: OpenAiOptions;
  #served: string | undefined;

  constructor(options: OpenAiOptions) {
    this.#options = options;
  }

  async modelFor(request: ModelRequest, client: OpenAI, signal: AbortSignal): Promise<string> {
    const { defaultModel, dialect } = this.#options;
    const isNamed = request.model !== '' || defaultModel !== undefined;
    if (isNamed || dialect === 'openai') return requireModel(this.#options, request);
    this.#served ??= await findOnlyModel(client, signal);
    return this.#served ?? requireModel(this.#options, request);
  }
}

async function findOnlyModel(client: OpenAI, signal: AbortSignal): Promise<string | undefined> {
  const { data } = await client.models.list({ signal });
  const names = Array.isArray(data) ? data.map(({ id }) => id) : [];
  return names.length === 1 && typeof names[0] === 'string' ? names[0] : undefined;
}
