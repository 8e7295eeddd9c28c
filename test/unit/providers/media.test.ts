import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import type { Usage } from '../../../src/contracts/model.ts';
import { resolveProvider } from '../../../src/providers/resolve.ts';
import { startWebServer, type WebAnswer, type WebServer } from '../../support/web-server.ts';

let server: WebServer;
let answer: WebAnswer;

beforeEach(async () => {
  server = await startWebServer(() => answer);
});

afterEach(() => server.close());

const json = (value: object, status = 200): WebAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const IMAGE = Buffer.from('an image').toString('base64');

const base: ModelRequest = {
  role: 'painter',
  model: 'gpt-image-1',
  messages: [{ role: 'user', content: 'a tree' }],
  maxOutputTokens: 1600,
};

const image: ModelRequest = {
  ...base,
  media: { kind: 'image', size: '1024x1024', quality: 'medium', mediaType: 'image/webp' },
};

const transcript: ModelRequest = {
  ...base,
  role: 'transcriber',
  model: 'gpt-4o-transcribe',
  messages: [{ role: 'user', content: 'Müller' }],
  media: {
    kind: 'transcript',
    mediaType: 'audio/mp3',
    data: Buffer.from('sound').toString('base64'),
    language: 'de',
  },
};

async function complete(
  request: ModelRequest,
  name: 'openai' | 'openai-responses' | 'vllm' | 'anthropic' = 'openai',
) {
  const provider = await resolveProvider(name, {
    env: {},
    baseUrl: `${server.url}/v1`,
    apiKey: () => 'the key',
  });
  const used: Usage[] = [];
  const deltas: string[] = [];
  const completed = await provider.complete(request, {
    signal: new AbortController().signal,
    key: 'node/1/1',
    onUsage: (usage) => used.push(usage),
    onDelta: (text) => deltas.push(text),
  });
  return { completed, used, deltas };
}

describe.each(['openai', 'openai-responses', 'vllm'] as const)('%s', (name) => {
  it('makes an image', async () => {
    answer = json({ data: [{ b64_json: IMAGE }], usage: { input_tokens: 10, output_tokens: 1056 } });
    const { completed, used, deltas } = await complete(image, name);
    expect(completed).toEqual({
      text: IMAGE,
      stop: 'stop',
      usage: { inputTokens: 10, outputTokens: 1056 },
      model: 'gpt-image-1',
      provider: name,
    });
    expect(used).toEqual([completed.usage]);
    // Nobody wants to read an image while it comes.
    expect(deltas).toEqual([]);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/images/generations',
      headers: { authorization: 'Bearer the key' },
    });
    expect(JSON.parse(server.requests[0]!.body)).toEqual({
      model: 'gpt-image-1',
      prompt: 'a tree',
      n: 1,
      size: '1024x1024',
      quality: 'medium',
      output_format: 'webp',
    });
  });

  it('writes speech down', async () => {
    answer = json({ text: 'Guten Tag', usage: { type: 'tokens', input_tokens: 14, output_tokens: 3 } });
    const { completed } = await complete(transcript, name);
    expect(completed).toMatchObject({ text: 'Guten Tag', usage: { inputTokens: 14, outputTokens: 3 } });
    const [{ path, headers, body }] = server.requests as [WebServer['requests'][number]];
    expect(path).toBe('/v1/audio/transcriptions');
    expect(headers['content-type']).toMatch(/^multipart\/form-data/);
    for (const part of ['filename="recording.mp3"', 'sound', 'gpt-4o-transcribe', 'Müller', 'de']) {
      expect(body).toContain(part);
    }
  });
});

it('asks other image models for what all of them know', async () => {
  answer = json({ data: [{ b64_json: IMAGE }] });
  const { completed } = await complete({ ...image, model: 'flux' }, 'vllm');
  expect(JSON.parse(server.requests[0]!.body)).toEqual({
    model: 'flux',
    prompt: 'a tree',
    n: 1,
    size: '1024x1024',
    response_format: 'b64_json',
  });
  // Without figures, the image counts as what was set aside for it.
  expect(completed.usage).toMatchObject({ outputTokens: 1600, estimated: true });
});

it('counts seconds as tokens where a model counts seconds', async () => {
  answer = json({ text: 'Guten Tag', usage: { type: 'duration', seconds: 10 } });
  const { completed } = await complete({ ...transcript, model: 'whisper-1' });
  expect(completed.usage).toMatchObject({ inputTokens: 170, estimated: true });
});

it.each([
  [
    'an image that is only an address',
    image,
    json({ data: [{ url: 'https://x.example/' }] }),
    'model_malformed',
  ],
  ['no image', image, json({ data: [] }), 'model_malformed'],
  ['no text', transcript, json({}), 'model_malformed'],
  [
    'an error',
    image,
    json({ error: { message: 'no', code: 'moderation_blocked' } }, 400),
    'model_bad_request',
  ],
  ['an overload', image, json({ error: { message: 'later' } }, 503), 'model_overloaded'],
  ['a refused key', transcript, json({ error: { message: 'no' } }, 401), 'model_unauthorized'],
])('%s is a failure', async (_what, request, given, code) => {
  answer = given;
  await expect(complete(request)).rejects.toMatchObject({ code });
});

it('wants a model to be named', async () => {
  await expect(complete({ ...image, model: '' })).rejects.toMatchObject({
    code: 'model_bad_request',
    blame: 'user',
  });
  expect(server.requests).toHaveLength(0);
});

it('anthropic says that it cannot', async () => {
  for (const request of [image, transcript]) {
    await expect(complete(request, 'anthropic')).rejects.toMatchObject({
      code: 'model_bad_request',
      blame: 'user',
    });
  }
  expect(server.requests).toHaveLength(0);
});
