/* Where texts leave that are in no log: pieces of an answer, names of spans, addresses of collectors. */
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { checkCollector } from '../../../src/cli/doctor-checks.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { exportRun, orchestrate } from '../../../src/index.ts';
import { redactSpan } from '../../../src/tracer/span-redaction.ts';
import { answer, plan } from '../../support/core.ts';
import * as scenarios from '../../support/flight-scenarios.ts';

const KEY = 'zq81-not-of-any-pattern';

it.each([/.+/gs, /.{1,9}/gs, /./gs])(
  'what is told of an answer while it comes in pieces (%s) holds no known credential',
  async (size) => {
    const pieces: string[] = [];
    const drawn = JSON.stringify(plan({ id: 'a', tool: 'do_nothing', args: { reason: `with ${KEY}` } }));
    await orchestrate({
      task: { name: 'told', goal: 'Go.', tools: ['do_nothing'], verify: { judge: 'off' } },
      provider: {
        name: 'telling',
        complete: (_, context) => {
          for (const piece of drawn.match(size) ?? []) context.onDelta?.(piece);
          return Promise.resolve(answer(drawn));
        },
      },
      store: new MemoryRunStore(),
      secrets: [KEY],
      onDelta: ({ text }) => pieces.push(text),
    });
    expect(pieces.join('')).toBe(drawn.replace(KEY, '[masked]'));
    expect(pieces.join('')).not.toContain(KEY);
  },
);

it('the name of a span is redacted like the rest of it', () => {
  const name = 'invoke_agent ' + 'AKIA' + 'ABCD1234EFGH5678';
  const span = { name, attributes: {}, events: [], status: { code: 'unset' } } as unknown;
  expect(redactSpan(span as Parameters<typeof redactSpan>[0]).name).toBe('invoke_agent [redacted]');
});

it('doctor tells of a collector without the password of its address', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const shown = `http://me:[redacted]@127.0.0.1:${port}`;
  const address = `http://me:geheim@127.0.0.1:${port}`;
  expect((await checkCollector(address)).what).toBe(`the OTLP endpoint ${shown} is reachable`);
  await new Promise((resolve) => server.close(resolve));
  expect((await checkCollector(address)).what).toContain(`${shown} is not reachable`);
  const sent = await exportRun(scenarios.cityCompare(), { url: address, env: {} });
  expect(sent).toMatchObject({ ok: false, reason: expect.stringContaining('me:[redacted]@') as string });
  const invalid = await exportRun(scenarios.cityCompare(), { url: 'ftp://me:geheim@host', env: {} });
  expect(invalid).toMatchObject({ ok: false, reason: expect.stringContaining('me:[redacted]@') as string });
});
