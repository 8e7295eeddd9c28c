import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { orchestrate, prepare, type RunResult, type TaskValue } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { byRole } from '../../support/composed.ts';
import { plan } from '../../support/core.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

let workspace = '';
let server: WebServer;

beforeEach(async () => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-builtin-')));
  server = await startWebServer(() => ({
    headers: { 'content-type': 'text/html' },
    body: '<table><tr><td>Tokyo<td>35676000<tr><td>Osaka<td>11294000</table>',
  }));
});

afterEach(async () => {
  await server.close();
  rmSync(workspace, { recursive: true, force: true });
});

const TOOLS = ['http_get', 'extract', 'calculate', 'write_file', 'read_file'];

async function run(nodes: readonly Json[], task: Partial<TaskValue> = {}) {
  const { provider } = byRole({ planner: JSON.stringify(plan(...nodes)) });
  const store = new MemoryRunStore();
  const value: TaskValue = {
    ...{ name: 'ratio', goal: 'Compare.', tools: TOOLS, verify: { judge: 'off' }, limits: { replans: 0 } },
    ...task,
  };
  const result: RunResult = await orchestrate({ task: value, provider, store, workspace, runId: 'r1' });
  return { result, events: await store.read('r1') };
}

it('tools that a task names work together by reference', async () => {
  const cell = (id: string, query: string): Json => ({
    id,
    tool: 'extract',
    args: { source: { $ref: 'page', path: '/text' }, by: 'css', query },
  });
  const { result, events } = await run(
    [
      { id: 'page', tool: 'http_get', args: { url: server.url } },
      cell('a', 'tr:nth-child(1) td:nth-child(2)'),
      cell('b', 'tr:nth-child(2) td:nth-child(2)'),
      {
        id: 'ratio',
        tool: 'calculate',
        args: { expression: 'round(35676000 / 11294000, 2)' },
        deps: ['a', 'b'],
      },
      {
        id: 'saved',
        tool: 'write_file',
        args: {
          path: 'out/ratio.txt',
          content: { $text: [{ $ref: 'ratio', path: '/text' }, ' of ', { $ref: 'a', path: '/first' }] },
        },
      },
      { id: 'read', tool: 'read_file', args: { path: 'out/ratio.txt' }, deps: ['saved'] },
    ],
    { web: { privateHosts: ['127.0.0.1'] } },
  );
  expect(result.status).toBe('unverified');
  expect(readFileSync(join(workspace, 'out', 'ratio.txt'), 'utf8')).toBe('3.16 of 35676000');
  const [catalogue] = events.filter((event) => event.type === 'catalogue.published');
  expect(JSON.stringify(catalogue)).toContain('"argumentKinds":{"url":"url"}');
  // The trace of the run goes on where the call leads.
  expect(server.requests[0]?.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
});

it('an address that is not public is a matter of policy, and ends the run', async () => {
  const { result } = await run([{ id: 'page', tool: 'http_get', args: { url: server.url } }]);
  expect(result).toMatchObject({ status: 'failed' });
  expect(result.reason).toContain('not on the public internet');
  expect(server.requests).toHaveLength(0);
});

it.each([
  [{ tools: ['web_search'] }, {}, 'web_search needs a service under web.search'],
  [{ tools: ['web_search'], web: { search: { kind: 'brave' } } }, {}, 'needs a key in BRAVE_API_KEY'],
  [{ tools: ['web_search'], web: { search: { kind: 'searxng' } } }, {}, 'searxng needs the url'],
  [{ tools: ['http_get'], web: { privateHosts: ['http://x'] } }, {}, 'neither a host nor a network'],
  [{ tools: ['http_get'], web: { allowed: [] } }, {}, 'allowed'],
])('a task with %j is refused before it runs', async (task, env, message) => {
  const { provider } = byRole({});
  const value = { name: 't', goal: 'g', ...task } as TaskValue;
  const prepared = prepare({ task: value, provider, workspace, env });
  await expect(prepared).rejects.toMatchObject({ code: 'task_invalid' });
  await expect(prepared).rejects.toThrow(message);
});

it('the key of the search service is masked', async () => {
  const { provider } = byRole({});
  const value: TaskValue = {
    name: 't',
    goal: 'g',
    tools: ['web_search'],
    web: { search: { kind: 'brave' } },
  };
  const env = { BRAVE_API_KEY: 'a-key-that-nobody-sees' };
  const { credentials } = await prepare({ task: value, provider, workspace, env });
  expect(credentials.mask('it is a-key-that-nobody-sees')).not.toContain('nobody');
});
