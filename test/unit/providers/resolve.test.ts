import { describe, expect, it } from 'vitest';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { PROVIDER_NAMES, providerSecrets } from '../../../src/providers/provider-names.ts';
import { resolveProvider, type ResolveOptions } from '../../../src/providers/resolve.ts';

interface Sent {
  readonly url: string;
  readonly authorization: string | null;
  readonly body: Record<string, unknown>;
}

/** Where a provider would send a request, and with which key; nothing is sent. */
async function sentBy(name: string, options: Omit<ResolveOptions, 'fetch'>): Promise<Sent> {
  const sent: Sent[] = [];
  const provider = await resolveProvider(name, {
    ...options,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      sent.push({
        url: input instanceof Request ? input.url : String(input),
        authorization: headers.get('authorization'),
        body: JSON.parse(init?.body as string) as Record<string, unknown>,
      });
      return Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 400 }));
    },
  });
  const call = provider.complete(
    { role: 'r', model: 'm', messages: [{ role: 'user', content: 'Hello.' }], maxOutputTokens: 9 },
    { key: 'k', signal: new AbortController().signal },
  );
  await expect(call).rejects.toMatchObject({ code: 'model_bad_request' });
  const [only] = sent;
  if (only === undefined) throw new Error('nothing was sent');
  return only;
}

async function refusalOf(name: string, options: ResolveOptions): Promise<OrchestratorError> {
  const outcome = await resolveProvider(name, options).catch((error: unknown) => error);
  if (outcome instanceof OrchestratorError) return outcome;
  throw new Error('it was resolved');
}

const env = {
  ANTHROPIC_API_KEY: 'a-key',
  OPENAI_API_KEY: 'o-key',
  OPENROUTER_API_KEY: 'r-key',
  MY_KEY: ' m-key ',
};

describe('resolveProvider', () => {
  it.each([
    ['anthropic', {}, 'https://api.anthropic.com/v1/messages', 'Bearer a-key'],
    ['openai', {}, 'https://api.openai.com/v1/chat/completions', 'Bearer o-key'],
    ['openai-responses', {}, 'https://api.openai.com/v1/responses', 'Bearer o-key'],
    ['openai', { api: 'responses' }, 'https://api.openai.com/v1/responses', 'Bearer o-key'],
    ['openrouter', {}, 'https://openrouter.ai/api/v1/chat/completions', 'Bearer r-key'],
    ['ollama', {}, 'http://127.0.0.1:11434/v1/chat/completions', null],
    ['llama.cpp', { api: 'responses' }, 'http://127.0.0.1:8080/v1/responses', null],
    ['compatible', { baseUrl: 'http://127.0.0.1:1/v1' }, 'http://127.0.0.1:1/v1/chat/completions', null],
    [
      'compatible',
      { baseUrl: 'https://api.anthropic.com/v1' },
      'https://api.anthropic.com/v1/messages',
      'Bearer a-key',
    ],
    [
      'compatible',
      { baseUrl: 'https://api.openai.com/v1' },
      'https://api.openai.com/v1/chat/completions',
      'Bearer o-key',
    ],
    [
      'openai',
      { baseUrl: 'https://proxy.example/v1', apiKeyEnv: 'MY_KEY' },
      'https://proxy.example/v1/chat/completions',
      'Bearer m-key',
    ],
    ['anthropic', { baseUrl: 'http://localhost:1/v1/' }, 'http://localhost:1/v1/messages', 'Bearer a-key'],
    [
      'anthropic',
      { apiKey: () => Promise.resolve('fresh') },
      'https://api.anthropic.com/v1/messages',
      'Bearer fresh',
    ],
  ] as [string, Partial<ResolveOptions>, string, string | null][])(
    '%s %o speaks to %s',
    async (name, options, url, authorization) => {
      expect(await sentBy(name, { env, ...options })).toMatchObject({ url, authorization });
    },
  );

  it('follows the address that the environment gives', async () => {
    const moved = { ...env, OPENAI_BASE_URL: 'https://proxy.example/v1' };
    expect(await sentBy('openai', { env: moved })).toMatchObject({
      url: 'https://proxy.example/v1/chat/completions',
      authorization: 'Bearer o-key',
    });
  });

  it('speaks the dialect of the server', async () => {
    expect((await sentBy('openai', { env })).body).toMatchObject({ max_completion_tokens: 9 });
    expect((await sentBy('ollama', { env })).body).toMatchObject({ max_tokens: 9 });
  });

  it('names the variable that holds no key', async () => {
    expect(await refusalOf('anthropic', { env: {} })).toMatchObject({
      code: 'key_missing',
      exitCode: 2,
      message: 'provider anthropic needs a key, and ANTHROPIC_API_KEY is not set',
    });
    expect(await refusalOf('ollama', { env: {}, apiKeyEnv: 'OLLAMA_CLOUD' })).toMatchObject({
      message: expect.stringContaining('OLLAMA_CLOUD is not set') as string,
    });
  });

  it('sends no key to a foreign address that a task gives, unless it is named for it', async () => {
    expect(await refusalOf('openai', { env, baseUrl: 'https://elsewhere.example/v1' })).toMatchObject({
      code: 'key_missing',
      message: 'provider openai: which key may go to elsewhere.example is not said',
    });
    expect(await refusalOf('openai', { env, baseUrl: 'http://api.openai.com/v1' })).toMatchObject({
      code: 'key_missing',
    });
    expect(
      await refusalOf('openai', { env, baseUrl: 'https://api.openai.com@elsewhere.example' }),
    ).toMatchObject({
      code: 'key_missing',
    });
    expect(await sentBy('ollama', { env, baseUrl: 'https://elsewhere.example/v1' })).toMatchObject({
      authorization: null,
    });
  });

  it('says which providers there are', async () => {
    expect(await refusalOf('antropic', { env })).toMatchObject({
      code: 'unknown_provider',
      message: 'there is no provider "antropic" (did you mean anthropic?)',
    });
    expect((await refusalOf('toString', { env })).code).toBe('unknown_provider');
    expect((await refusalOf('compatible', { env })).message).toBe('provider compatible needs a baseUrl');
    expect((await refusalOf('compatible', { env, baseUrl: 'localhost:8080' })).message).toContain(
      'is no address',
    );
  });

  it('knows list prices at the vendors, and none elsewhere', async () => {
    const anthropic = await resolveProvider('anthropic', { env });
    expect(anthropic.priceOf?.('claude-haiku-4-5-20251001')).toEqual({
      inputPerMTok: 1,
      outputPerMTok: 5,
      cacheReadPerMTok: 0.1,
      cacheWritePerMTok: 1.25,
    });
    expect(anthropic.priceOf?.('')).toBeDefined();
    expect(anthropic.priceOf?.('claude-unheard-of')).toBeUndefined();
    const foreign = await resolveProvider('openai', {
      env,
      baseUrl: 'https://p.example',
      apiKeyEnv: 'MY_KEY',
    });
    expect(foreign.priceOf?.('gpt-4.1')).toBeUndefined();
    expect((await resolveProvider('ollama', { env })).priceOf?.('any')).toEqual({
      inputPerMTok: 0,
      outputPerMTok: 0,
    });
  });
});

it('lists the credentials in the environment, so that they can be masked', () => {
  expect(providerSecrets(env, ['MY_KEY', 'NOT_SET'])).toEqual(['a-key', 'o-key', 'r-key', 'm-key']);
  expect(PROVIDER_NAMES).toContain('compatible');
});
