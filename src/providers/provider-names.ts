import type { ApiMode } from './reasoning.ts';

/** What is known of a provider by its name. */
export interface ProviderEntry {
  /** The API that it speaks; where it is not given, the host decides. */
  readonly api?: ApiMode;
  readonly baseUrl?: string;
  /** The variable that moves it elsewhere. */
  readonly baseUrlEnv?: string;
  /** The variable that holds its key. */
  readonly keyEnv?: string;
  /** Whether it answers without a key. */
  readonly isKeyless?: boolean;
  /** Whether it is OpenAI, or hands requests on to it: its strict schemas and newer field names. */
  readonly isStrict?: boolean;
  readonly defaultModel?: string;
}

const OPENAI = {
  baseUrl: 'https://api.openai.com/v1',
  baseUrlEnv: 'OPENAI_BASE_URL',
  keyEnv: 'OPENAI_API_KEY',
  isStrict: true,
  defaultModel: 'gpt-5.4-mini',
} as const satisfies ProviderEntry;

/** The providers that can be named without a module; nothing is loaded for this table. */
export const PROVIDERS = {
  anthropic: {
    api: 'messages',
    baseUrl: 'https://api.anthropic.com',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    keyEnv: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5-5',
  },
  openai: { api: 'chat', ...OPENAI },
  'openai-responses': { api: 'responses', ...OPENAI },
  openrouter: {
    api: 'chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: 'OPENROUTER_API_KEY',
    isStrict: true,
  },
  ollama: {
    api: 'chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
    baseUrlEnv: 'OLLAMA_BASE_URL',
    keyEnv: 'OLLAMA_API_KEY',
    isKeyless: true,
  },
  vllm: {
    api: 'chat',
    baseUrl: 'http://127.0.0.1:8000/v1',
    baseUrlEnv: 'VLLM_BASE_URL',
    keyEnv: 'VLLM_API_KEY',
    isKeyless: true,
  },
  'llama.cpp': {
    api: 'chat',
    baseUrl: 'http://127.0.0.1:8080/v1',
    baseUrlEnv: 'LLAMA_BASE_URL',
    keyEnv: 'LLAMA_API_KEY',
    isKeyless: true,
  },
  compatible: { isKeyless: true },
} as const satisfies Record<string, ProviderEntry>;

/** The name of a provider. */
export type ProviderName = keyof typeof PROVIDERS;

/** The names of the providers, for checks and completion. */
export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

/** Values of the variables that are known to hold credentials, and of any others named: what must never be logged. */
export function providerSecrets(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): readonly string[] {
  const entries: readonly ProviderEntry[] = Object.values(PROVIDERS);
  const variables = new Set([...entries.flatMap(({ keyEnv }) => keyEnv ?? []), ...more]);
  return [...variables].flatMap((variable) => {
    const value = env[variable]?.trim();
    return value === undefined || value === '' ? [] : [value];
  });
}
