import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebSettings } from '../../../src/contracts/task.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { callBuiltin } from '../../support/builtin-call.ts';
import { startWebServer, type WebAnswer, type WebServer } from '../../support/web-server.ts';

let server: WebServer;
let answers: Record<string, WebAnswer> = {};

beforeEach(async () => {
  answers = {};
  server = await startWebServer(
    ({ path }) => answers[path.split('?')[0] ?? ''] ?? { status: 404, body: 'none' },
  );
});

afterEach(() => server.close());

const search = (
  args: Json,
  settings: { web?: WebSettings; env?: Record<string, string> } = {},
): Promise<Json> => callBuiltin('web_search', args, {}, settings);

describe('web_search', () => {
  const query = { query: 'tea & salt', maxResults: 2 };
  const settingsOf = (kind: 'brave' | 'tavily'): WebSettings => ({
    privateHosts: [],
    search: { kind, url: `${server.url}/search` },
  });
  const result = {
    title: 'A <strong>title</strong>',
    url: 'https://a.example/',
    content: ' a\n text ',
    description: ' a\n text ',
  };
  const found = { results: [{ title: 'A title', url: 'https://a.example/', snippet: 'a text' }] };
  const json = (value: object): WebAnswer => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

  it('asks SearXNG', async () => {
    answers['/search'] = json({ results: [result, { title: 'no address' }, { url: 'javascript:x' }] });
    const settings = { web: { privateHosts: [], search: { kind: 'searxng' as const, url: server.url } } };
    expect(await search({ ...query, language: 'de' }, settings)).toEqual(found);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: '/search?q=tea+%26+salt&format=json&language=de',
    });
  });

  it('asks Brave with its key', async () => {
    answers['/search'] = json({ web: { results: [result] } });
    const settings = { web: settingsOf('brave'), env: { BRAVE_API_KEY: 'the key' } };
    expect(await search(query, settings)).toEqual(found);
    expect(server.requests[0]).toMatchObject({
      path: '/search?q=tea+%26+salt&count=2',
      headers: { 'x-subscription-token': 'the key' },
    });
  });

  it('asks Tavily with the key of another variable', async () => {
    answers['/search'] = json({ results: [result, result, result] });
    const settings = {
      web: { privateHosts: [], search: { ...settingsOf('tavily').search!, apiKeyEnv: 'MY_KEY' } },
      env: { MY_KEY: 'the key' },
    };
    expect(await search(query, settings)).toEqual({
      results: [...found.results, ...found.results],
    });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer the key' },
      body: JSON.stringify({ query: 'tea & salt', max_results: 2 }),
    });
  });

  it('takes an answer in another form for no results, and one that is no JSON for a failure', async () => {
    answers['/search'] = json({ hits: [] });
    const settings = { web: { privateHosts: [], search: { kind: 'searxng' as const, url: server.url } } };
    expect(await search(query, settings)).toEqual({ results: [] });
    answers['/search'] = { body: '<html>' };
    await expect(search(query, settings)).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it.each([
    [{ kind: 'searxng' as const }, 'task_invalid'],
    [{ kind: 'brave' as const }, 'key_missing'],
  ])('is not made without what it needs: %j', async (settings, code) => {
    await expect(
      search(query, { web: { privateHosts: [], search: settings }, env: {} }),
    ).rejects.toMatchObject({ code });
  });

  it('says so where the task names no service', async () => {
    await expect(search(query)).rejects.toMatchObject({ code: 'tool_failed' });
  });
});
