import { OrchestratorError } from '../kernel/errors.ts';
import type { ProviderEntry, ProviderName } from './provider-names.ts';
import type { ApiMode } from './reasoning.ts';

/** Where an API is reached. */
export interface Address {
  readonly url: string;
  readonly host: string;
  /** Whose it is, where that is known. */
  readonly owner: { readonly provider: ProviderName; readonly api: ApiMode } | null;
  /** Whether it is this very machine. */
  readonly isLoopback: boolean;
  /** Whether the task gave it, rather than the provider's entry or the user's environment. */
  readonly isFromTask: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OWNERS = new Map<string, Address['owner']>([
  ['api.anthropic.com', { provider: 'anthropic', api: 'messages' }],
  ['api.openai.com', { provider: 'openai', api: 'chat' }],
  ['openrouter.ai', { provider: 'openrouter', api: 'chat' }],
]);

/** The address of a provider: the one given, else the one in the environment, else its own; throws `unknown_provider`. */
export function findAddress(
  name: string,
  entry: ProviderEntry,
  baseUrl: string | undefined,
  env: Environment,
): Address {
  const url = baseUrl ?? readVariable(env, entry.baseUrlEnv) ?? entry.baseUrl;
  if (url === undefined) {
    throw new OrchestratorError('unknown_provider', `provider ${name} needs a baseUrl`, {
      details: { provider: name },
      hint: 'Give the address of its API, such as baseUrl: http://127.0.0.1:8080/v1.',
    });
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new OrchestratorError(
      'unknown_provider',
      `provider ${name}: baseUrl ${JSON.stringify(url)} is no address`,
      { details: { provider: name, baseUrl: url }, hint: 'It begins with http:// or https://.' },
    );
  }
  const { hostname: host, protocol } = new URL(url);
  return {
    url,
    host,
    // Only over TLS is it known who answers.
    owner: (protocol === 'https:' ? OWNERS.get(host) : undefined) ?? null,
    isLoopback: host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host),
    isFromTask: baseUrl !== undefined,
  };
}

/** The value of a variable without the white space around it; undefined where it is not set, or empty. */
export function readVariable(env: Environment, variable: string | undefined): string | undefined {
  const value = variable === undefined ? undefined : env[variable]?.trim();
  return value === '' ? undefined : value;
}
