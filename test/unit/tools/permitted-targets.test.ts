import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermitsTarget } from '../../../src/contracts/tool.ts';
import type { Json } from '../../../src/kernel/json.ts';
import type { BuiltinToolName } from '../../../src/tools/builtin/names.ts';
import { callBuiltin } from '../../support/builtin-call.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

let workspace = '';
let server: WebServer;

beforeEach(async () => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-permits-')));
  mkdirSync(join(workspace, 'private'));
  writeFileSync(join(workspace, 'private', 'plan.txt'), 'the plan');
  writeFileSync(join(workspace, 'open.txt'), 'the plan is elsewhere');
  symlinkSync('private', join(workspace, 'link'));
  server = await startWebServer(({ path }) =>
    path === '/away' ? { status: 302, headers: { location: '/private' }, body: '' } : { body: 'text' },
  );
});

afterEach(async () => {
  await server.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** What a policy would say that keeps everyone out of what is private. */
const permits: PermitsTarget = (_kind, target) => !/(?:^|\/)private(?:\/|$)/.test(target);

const call = (name: BuiltinToolName, args: Json): Promise<Json> =>
  callBuiltin(name, args, { workspace, permits }, { web: { privateHosts: ['127.0.0.1'] } });

describe('a path that policy does not permit', () => {
  it.each(['private/plan.txt', 'link/plan.txt'])('is neither read nor changed as %s', async (path) => {
    const calls: readonly (readonly [BuiltinToolName, Json])[] = [
      ['read_file', { path }],
      ['write_file', { path, content: 'x' }],
      ['append_file', { path, content: 'x' }],
      ['delete_file', { path }],
      ['transcribe_audio', { path: path.replace('.txt', '.mp3') }],
      ['download_file', { path, url: server.url }],
    ];
    for (const [name, args] of calls) {
      await expect(call(name, args), name).rejects.toMatchObject({ code: 'policy_denied', retry: 'POLICY' });
    }
    expect(readFileSync(join(workspace, 'private', 'plan.txt'), 'utf8')).toBe('the plan');
  });

  it('is neither listed nor searched', async () => {
    const listed = (await call('list_files', { recursive: true })) as { entries: { path: string }[] };
    expect(listed.entries.map(({ path }) => path)).toEqual(['link', 'open.txt']);
    expect(await call('search_files', { query: 'the plan' })).toMatchObject({
      matches: [{ path: 'open.txt' }],
      filesSearched: 1,
    });
    await expect(call('list_files', { path: 'link' })).rejects.toMatchObject({ code: 'policy_denied' });
  });
});

describe('an address that policy does not permit', () => {
  it('is not asked for', async () => {
    await expect(call('http_get', { url: `${server.url}/private` })).rejects.toMatchObject({
      retry: 'POLICY',
    });
    await expect(
      call('http_request', { url: `${server.url}/private`, method: 'POST' }),
    ).rejects.toMatchObject({ retry: 'POLICY' });
    expect(server.requests).toHaveLength(0);
  });

  it('is not followed, and does not stop the run', async () => {
    for (const name of ['http_get', 'get_hyperlinks'] as const) {
      await expect(call(name, { url: `${server.url}/away` })).rejects.toMatchObject({
        code: 'policy_denied',
        retry: 'PERMANENT',
      });
    }
    expect(server.requests.map(({ path }) => path)).toEqual(['/away', '/away']);
  });
});
