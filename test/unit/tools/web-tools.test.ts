import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebSettings } from '../../../src/contracts/task.ts';
import type { ToolContext } from '../../../src/contracts/tool.ts';
import type { Json } from '../../../src/kernel/json.ts';
import type { BuiltinToolName } from '../../../src/tools/builtin/names.ts';
import { callBuiltin } from '../../support/builtin-call.ts';
import { startWebServer, type WebAnswer, type WebServer } from '../../support/web-server.ts';

let workspace = '';
let server: WebServer;
let answers: Record<string, WebAnswer> = {};

beforeEach(async () => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-web-')));
  answers = {};
  server = await startWebServer(
    ({ path }) => answers[path.split('?')[0] ?? ''] ?? { status: 404, body: 'none' },
  );
});

afterEach(async () => {
  await server.close();
  rmSync(workspace, { recursive: true, force: true });
});

const web: WebSettings = { privateHosts: ['127.0.0.1'] };
const html = (body: string): WebAnswer => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body });

const call = (
  name: BuiltinToolName,
  args: Json,
  context: Partial<ToolContext> = {},
  settings: { web?: WebSettings; env?: Record<string, string> } = { web },
): Promise<Json> => callBuiltin(name, args, { workspace, ...context }, settings);

it.each([
  'http_get',
  'get_hyperlinks',
  'browse_website',
  'get_text_summary',
  'http_request',
  'download_file',
] as const)(
  '%s reaches no private address that the task does not list, and none with a user name',
  async (name) => {
    const more = { http_request: { method: 'POST' }, download_file: { path: 'x' } };
    const question = name === 'browse_website' || name === 'get_text_summary' ? { question: 'What?' } : {};
    const args = { url: server.url, ...question, ...(more as Record<string, object>)[name] };
    await expect(call(name, args, {}, {})).rejects.toMatchObject({ code: 'policy_denied', retry: 'POLICY' });
    await expect(call(name, { ...args, url: server.url.replace('//', '//user@') })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
    expect(server.requests).toHaveLength(0);
    expect(readdirSync(workspace)).toEqual([]);
  },
);

describe('http_get', () => {
  it('returns text, and JSON as a value', async () => {
    answers['/a'] = { headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"a":[1,2]}' };
    expect(await call('http_get', { url: `${server.url}/a` })).toEqual({
      url: `${server.url}/a`,
      status: 200,
      contentType: 'application/json',
      text: '{"a":[1,2]}',
      json: { a: [1, 2] },
      truncated: false,
    });
  });

  it('hands the trace of its call on', async () => {
    answers['/'] = { body: '' };
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    await call('http_get', { url: `${server.url}/` }, { trace });
    expect(server.requests[0]?.headers).toMatchObject(trace);
  });

  it('reads a text by its character set', async () => {
    answers['/latin'] = {
      headers: { 'content-type': 'text/plain; charset=iso-8859-1' },
      body: Buffer.from([0x67, 0x72, 0xfc]),
    };
    answers['/meta'] = {
      headers: { 'content-type': 'text/html' },
      body: Buffer.concat([Buffer.from('<meta charset="windows-1252">'), Buffer.from([0x80])]),
    };
    expect(await call('http_get', { url: `${server.url}/latin` })).toMatchObject({ text: 'grü' });
    expect(await call('http_get', { url: `${server.url}/meta` })).toMatchObject({
      text: expect.stringContaining('€') as unknown,
    });
  });

  it('reads so much and says that there is more', async () => {
    answers['/long'] = { headers: { 'content-type': 'application/json' }, body: '[1, 2, 3]' };
    expect(await call('http_get', { url: `${server.url}/long`, maxBytes: 4 })).toEqual({
      url: `${server.url}/long`,
      status: 200,
      contentType: 'application/json',
      text: '[1, ',
      truncated: true,
    });
  });

  it.each([
    [404, {}, { code: 'missing_info' }],
    [410, {}, { code: 'missing_info' }],
    [403, {}, { code: 'tool_failed', retry: 'PERMANENT' }],
    [500, {}, { code: 'tool_transient' }],
    [503, { 'retry-after': '7' }, { code: 'tool_transient', retryAfterMs: 7000 }],
    [429, { 'retry-after': 'soon' }, { code: 'tool_transient', retryAfterMs: undefined }],
  ])('fails at status %i with %j', async (status, headers, failure) => {
    answers['/x'] = { status, headers, body: 'no' };
    await expect(call('http_get', { url: `${server.url}/x` })).rejects.toMatchObject(failure);
  });

  it('does not take what is no text', async () => {
    answers['/x.png'] = { headers: { 'content-type': 'image/png' }, body: 'x' };
    answers['/bytes'] = { headers: { 'content-type': '' }, body: Buffer.from([1, 0, 2]) };
    await expect(call('http_get', { url: `${server.url}/x.png` })).rejects.toThrow('use download_file');
    await expect(call('http_get', { url: `${server.url}/bytes` })).rejects.toMatchObject({
      code: 'tool_failed',
    });
  });
});

describe('http_request', () => {
  it('sends JSON and returns what came, whatever the status', async () => {
    answers['/items'] = {
      status: 422,
      headers: { 'content-type': 'application/problem+json', 'x-id': '7', 'set-cookie': 'session=secret' },
      body: '{"title":"no"}',
    };
    const result = await call('http_request', {
      url: `${server.url}/items`,
      method: 'POST',
      json: { name: 'x' },
      headers: { authorization: 'Bearer y' },
    });
    expect(result).toMatchObject({ status: 422, json: { title: 'no' }, headers: { 'x-id': '7' } });
    expect(JSON.stringify(result)).not.toContain('session=secret');
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      body: '{"name":"x"}',
      headers: { 'content-type': 'application/json', authorization: 'Bearer y' },
    });
  });

  it('sends a text of the type that is given', async () => {
    answers['/t'] = { headers: { 'content-type': 'image/png' }, body: 'binary' };
    const headers = { 'Content-Type': 'text/csv' };
    expect(
      await call('http_request', { url: `${server.url}/t`, method: 'PUT', text: 'a,b', headers }),
    ).toMatchObject({ status: 200, text: '' });
    expect(server.requests[0]).toMatchObject({ body: 'a,b', headers: { 'content-type': 'text/csv' } });
  });

  it.each([
    [{ method: 'POST', json: 1, text: 'x' }],
    [{ method: 'GET', text: 'x' }],
    [{ method: 'CONNECT' }],
    [{ method: 'POST', headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`x-${i}`, ''])) }],
  ])('refuses %j', async (args) => {
    await expect(call('http_request', { url: server.url, ...args })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('download_file', () => {
  it('writes what came, with its digest', async () => {
    answers['/f.bin'] = {
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from([1, 0, 255]),
    };
    expect(await call('download_file', { url: `${server.url}/f.bin`, path: 'in/f.bin' })).toEqual({
      path: 'in/f.bin',
      url: `${server.url}/f.bin`,
      bytes: 3,
      sha256: 'b7ae7729555ec6829c579c2602edc6cb94b4ed3d820ddda0a45ac54030f8a53d',
      contentType: 'application/octet-stream',
    });
    expect([...readFileSync(join(workspace, 'in/f.bin'))]).toEqual([1, 0, 255]);
  });

  it.each(['../out.bin', '/tmp/out.bin', '.git/hooks/post-checkout'])(
    'writes nothing to %s',
    async (path) => {
      answers['/f'] = { body: 'x' };
      await expect(call('download_file', { url: `${server.url}/f`, path })).rejects.toMatchObject({
        code: 'policy_denied',
      });
      expect(readdirSync(workspace)).toEqual([]);
    },
  );

  it('leaves nothing behind where it is too large, breaks off or fails', async () => {
    answers['/large'] = { headers: { 'transfer-encoding': 'chunked' }, body: 'x'.repeat(5000) };
    answers['/error'] = { status: 500, body: 'x' };
    const args = { path: 'f', maxBytes: 1000 };
    await expect(call('download_file', { url: `${server.url}/large`, ...args })).rejects.toMatchObject({
      code: 'tool_failed',
    });
    await expect(call('download_file', { url: `${server.url}/error`, ...args })).rejects.toMatchObject({
      code: 'tool_transient',
    });
    expect(readdirSync(workspace)).toEqual([]);
  });
});

describe('get_hyperlinks', () => {
  it('lists the links of a page, from where it really is', async () => {
    answers['/old'] = { status: 301, headers: { location: '/dir/new' }, body: '' };
    answers['/dir/new'] = html('<title>T</title><a href="a">A</a><a href="https://b.example/">B</a>');
    expect(await call('get_hyperlinks', { url: `${server.url}/old` })).toEqual({
      url: `${server.url}/dir/new`,
      title: 'T',
      links: [
        { url: `${server.url}/dir/a`, text: 'A' },
        { url: 'https://b.example/', text: 'B' },
      ],
      truncated: false,
    });
    expect(
      await call('get_hyperlinks', { url: `${server.url}/old`, sameHost: true, maxLinks: 1 }),
    ).toMatchObject({
      links: [{ text: 'A' }],
      truncated: false,
    });
  });
});

it('html_to_text returns what people see', async () => {
  expect(await call('html_to_text', { html: '<h1>A</h1><p>b<script>c</script>' })).toBe('# A\n\nb');
});

it.each(['10.0.0.0/33', 'http://localhost', 'localhost:80', 'a@b', '', '*', '1.2.3', '*.'])(
  'web.privateHosts refuses %j',
  async (host) => {
    await expect(
      call('http_get', { url: server.url }, {}, { web: { privateHosts: [host] } }),
    ).rejects.toMatchObject({ code: 'task_invalid' });
  },
);
