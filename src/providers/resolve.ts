import type { Price } from '../contracts/budget.ts';
import type { Provider } from '../contracts/ports.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { type Address, findAddress, readVariable } from './address.ts';
import type { ApiOptions } from './api-options.ts';
import { chooseKey } from './choose-key.ts';
import { ANTHROPIC_PRICES, FREE, listPrice, OPENAI_PRICES } from './prices.ts';
import { PROVIDER_NAMES, type ProviderEntry, PROVIDERS } from './provider-names.ts';
import type { ApiMode } from './reasoning.ts';

/** How a provider is wanted; what is not given follows from its name. */
export interface ResolveOptions {
  /** The environment: keys come from nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string;
  readonly api?: ApiMode;
  /** The variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** Takes the place of the key in the environment, and is asked at every attempt: a key that is refreshed. */
  readonly apiKey?: () => string | Promise<string>;
  readonly defaultModel?: string;
  readonly idleTimeoutMs?: number;
  readonly isStreamed?: boolean;
  readonly fetch?: typeof fetch;
}

/**
 * The provider of a name. Its API is the one given, else that of its name, else that of the host, else Chat
 * Completions. Throws `unknown_provider` for a name or address that is none, and `key_missing`, which names the
 * variable; a key is only sent to a host that it belongs to, or that the user named it for.
 */
export async function resolveProvider(name: string, options: ResolveOptions): Promise<Provider> {
  const { env, apiKeyEnv } = options;
  const entry = findEntry(name);
  const address = findAddress(name, entry, options.baseUrl, env);
  const shared: ApiOptions = {
    name,
    baseUrl: address.url,
    apiKey: options.apiKey ?? chooseKey(name, entry, address, env, apiKeyEnv),
    priceOf: (model) => priceAt(address, model),
    // What is known to keep connections open may; a server of one's own is near enough for a new one each time.
    isKeptOpen: address.owner !== null,
    ...optional('defaultModel', options.defaultModel ?? entry.defaultModel),
    ...optional('idleTimeoutMs', options.idleTimeoutMs),
    ...optional('isStreamed', options.isStreamed),
    ...optional('fetch', options.fetch),
    ...(address.owner?.provider === 'openai' ? { headers: openAiHeaders(env) } : {}),
  };
  const dialect = entry.isStrict === true || address.owner !== null ? 'openai' : 'compatible';
  switch (options.api ?? entry.api ?? address.owner?.api ?? 'chat') {
    case 'messages':
      return (await import('./anthropic.ts')).createAnthropic(shared);
    case 'chat':
      return (await import('./openai-chat.ts')).createOpenAiChat({ ...shared, dialect });
    case 'responses':
      return (await import('./openai-responses.ts')).createOpenAiResponses({ ...shared, dialect });
  }
}

function findEntry(name: string): ProviderEntry {
  if (Object.hasOwn(PROVIDERS, name)) return PROVIDERS[name as keyof typeof PROVIDERS];
  const near = didYouMean(name, PROVIDER_NAMES);
  throw new OrchestratorError(
    'unknown_provider',
    `there is no provider "${name}"${near === null ? '' : ` (did you mean ${near}?)`}`,
    {
      details: { provider: name },
      hint: `Name one of ${PROVIDER_NAMES.join(', ')}, or a module such as ./mock.ts.`,
    },
  );
}

function openAiHeaders(env: ResolveOptions['env']): Record<string, string> {
  return {
    ...optional('OpenAI-Organization', readVariable(env, 'OPENAI_ORG_ID')),
    ...optional('OpenAI-Project', readVariable(env, 'OPENAI_PROJECT_ID')),
  };
}

function priceAt({ owner, isLoopback }: Address, model: string): Price | undefined {
  if (owner?.provider === 'anthropic') return listPrice(ANTHROPIC_PRICES, model);
  if (owner?.provider === 'openai') return listPrice(OPENAI_PRICES, model);
  return isLoopback ? FREE : undefined;
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [Key in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [Key in K]: T });
}
