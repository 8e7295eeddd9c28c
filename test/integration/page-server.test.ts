/* Who is served, and what: the page server as requests see it. */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { redactSecrets } from '../../src/kernel/redact-secrets.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { PageServer } from '../../src/web/page-server.ts';
import { PushedFeed } from '../../src/web/run-feed.ts';
import { ShownEvents } from '../../src/web/shown-events.ts';
import { FlightBuilder } from '../support/flight-builder.ts';

const events = new FlightBuilder()
  .start()
  .plan([{ id: 'a', tool: 't' }], 'a')
  .nodeRun('a', 5, 'the key is sk-abcdefghijklmnopqrstuvwxyz123456')
  .build();

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const servers: PageServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(hasList = false) {
  const feed = new PushedFeed(events);
  const shown = new ShownEvents(feed, redactSecrets);
  const answers: Json[] = [];
  const page = (base: string) => Promise.resolve({ html: `<p>${base}</p>`, policy: "default-src 'none'" });
  const server = new PageServer({
    home: page,
    list: hasList ? () => Promise.resolve({ runs: [] }) : null,
    page: (_, base) => page(base),
    events: () => Promise.resolve(shown),
    answer: (runId, given) => {
      if (given === 'late') throw new OrchestratorError('already_decided', 'somebody was first');
      answers.push([runId, given]);
      return Promise.resolve({ state: 'logged' });
    },
  });
  servers.push(server);
  await server.listen(0);
  const { address } = server;
  const { port, pathname } = new URL(address);
  const ask = (
    path: string,
    {
      method = 'GET',
      headers = {},
      body = '',
    }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Got> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          // A stream has no end of its own.
          if (
            response.headers['content-type']?.startsWith('text/event-stream') === true &&
            // Under load messages come in pieces, and events in several; the last of them is number 3.
            /^(?:id: 3|event: end)\ndata:.*\n\n/m.test(text)
          ) {
            response.destroy();
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          }
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return { server, feed, answers, ask, base: pathname.slice(0, -1), origin: `http://127.0.0.1:${port}` };
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the page server', () => {
  it('listens on loopback alone, behind a token that is new each time', async () => {
    const [one, other] = [await serve(), await serve()];
    expect(one.server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    expect(one.base).not.toBe(other.base);
    expect((await one.ask(other.base + '/')).status).toBe(404);
    expect((await one.ask('/')).status).toBe(404);
  });

  it('serves its page under a policy that lets nothing else in', async () => {
    const { ask, base } = await serve();
    const { status, headers, body } = await ask(`${base}/`);
    expect([status, body]).toEqual([200, `<p>${base}</p>`]);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another name of this address', { host: 'evil.example' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s, though it knows the token', async (_, headers) => {
    const { ask, base, answers } = await serve();
    expect((await ask(`${base}/`, { headers })).status).toBe(403);
    expect((await ask(`${base}/events`, { headers })).status).toBe(403);
    const answer = await ask(`${base}/answer`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: '{}',
    });
    expect(answer.status).toBe(403);
    expect(answers).toEqual([]);
  });

  it('takes answers from its own origin, as JSON alone', async () => {
    const { ask, base, origin, answers } = await serve();
    const post = (headers: Record<string, string>, body: string) =>
      ask(`${base}/answer`, { method: 'POST', headers, body });
    expect((await post(JSON_TYPE, '{}')).status).toBe(403);
    expect((await post({ origin, 'content-type': 'text/plain' }, '{}')).status).toBe(400);
    expect((await post({ origin, ...JSON_TYPE }, '{')).status).toBe(422);
    expect((await post({ origin, ...JSON_TYPE }, `"${'x'.repeat(5_000_000)}"`)).status).toBe(422);
    expect(answers).toEqual([]);
    expect(JSON.parse((await post({ origin, ...JSON_TYPE }, '{"node":"a"}')).body)).toEqual({
      state: 'logged',
    });
    expect(answers).toEqual([['', { node: 'a' }]]);
    const late = await post({ origin, ...JSON_TYPE }, '"late"');
    expect([late.status, JSON.parse(late.body)]).toMatchObject([
      409,
      { code: 'already_decided', message: 'somebody was first' },
    ]);
  });

  it('streams events from where a reader was, without credentials', async () => {
    const { ask, base } = await serve();
    const seqs = (body: string): number[] =>
      [...body.matchAll(/^id: .*\ndata: (.*)$/gm)].flatMap(([, data = '[]']) =>
        (JSON.parse(data) as FlightEvent[]).map(({ seq }) => seq),
      );
    const whole = await ask(`${base}/events`);
    expect(seqs(whole.body)).toEqual([0, 1, 2, 3]);
    expect(whole.body).toContain('event: left\ndata: false\n\n');
    expect(whole.body).toContain('the key is [redacted]');
    expect(whole.body).not.toContain('sk-abc');
    expect(seqs((await ask(`${base}/events?after=1`)).body)).toEqual([2, 3]);
    expect(seqs((await ask(`${base}/events?after=0`, { headers: { 'last-event-id': '2' } })).body)).toEqual([
      3,
    ]);
  });

  it('knows no paths but its own', async () => {
    const one = await serve();
    for (const path of ['/list', '/runs/x/', '/answer', '/events/more', '/../x', '/%2e%2e/x']) {
      expect([path, (await one.ask(one.base + path)).status]).toEqual([path, 404]);
    }
    expect((await one.ask(`${one.base}/`, { method: 'DELETE' })).status).toBe(405);
    const all = await serve(true);
    expect((await all.ask(`${all.base}/list`)).status).toBe(200);
    expect((await all.ask(`${all.base}/runs/x/`)).body).toBe(`<p>${all.base}/runs/x</p>`);
    expect((await all.ask(`${all.base}/runs/x`)).headers['location']).toBe(`${all.base}/runs/x/`);
    expect((await all.ask(`${all.base}/events`)).status).toBe(404);
  });

  it('ends its streams when the run has ended', async () => {
    const { feed, ask, base } = await serve();
    feed.end();
    expect((await ask(`${base}/events?after=3`)).body).toContain('event: end');
  });
});
