import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpServer } from '../../src/cli/mcp-server.ts';
import { serveOverHttp } from '../support/mcp-over-http.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SUITE = pathOf('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const JITI = pathOf('node_modules/jiti/lib/jiti-cli.mjs');
const CLIENT = pathOf('test/support/mcp-conformance-client.ts');

/** Scenarios of the suite that this program is held to, and why the others cannot be met. */
const CLIENT_SCENARIOS = ['initialize', 'tools_call', 'sse-retry', 'auth/client-credentials-basic'];
const NOT_OF_THIS_CLIENT: readonly (readonly [RegExp, string])[] = [
  [/^elicitation-/, 'nobody can be asked in the middle of a call, so elicitation is not offered'],
  [/^auth\/client-credentials-jwt$/, 'keys of clients are not supported, their secrets are'],
  [/^auth\/(?!client-credentials)/, 'a person would have to log in with a browser'],
];
const SERVER_SCENARIOS = ['server-initialize', 'ping', 'tools-list'];
const NOT_OF_THIS_SERVER: readonly (readonly [RegExp, string])[] = [
  [/^(tools-call-|json-schema-2020-12$)/, 'calls tools of a test server by name'],
  [/^(resources|prompts|completion|logging)-/, 'a capability that it does not have, and does not claim'],
  [/^elicitation-/, 'it asks nothing of the client'],
  [/^(server-sse-|dns-rebinding)/, 'of HTTP, while it speaks over stdio'],
];

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sortie-conformance-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function suite(args: readonly string[]): Promise<string> {
  return new Promise((settle) => {
    execFile(process.execPath, [SUITE, ...args], { cwd: folder, timeout: 50_000 }, (_, stdout, stderr) =>
      settle(stdout + stderr),
    );
  });
}

/** The names that the suite lists under a heading. */
async function scenariosOf(heading: string): Promise<string[]> {
  const [, section = ''] = (await suite(['list'])).split(`${heading} scenarios`);
  return [...(section.split('\n\n')[0] ?? '').matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name);
}

describe('as a client', () => {
  it.each(CLIENT_SCENARIOS)('meets the scenario %s', async (scenario) => {
    const command = `${process.execPath} ${JITI} ${CLIENT}`;
    const told = await suite(['client', '--command', command, '--scenario', scenario]);
    expect(told).toContain('OVERALL: PASSED');
    expect(told).toMatch(/Passed: [1-9]/);
  });

  it('is held to every scenario but those of which it says why not', async () => {
    const all = await scenariosOf('Client');
    const others = all.filter((name) => !NOT_OF_THIS_CLIENT.some(([pattern]) => pattern.test(name)));
    expect(others.sort()).toEqual([...CLIENT_SCENARIOS].sort());
  });
});

describe('as a server', () => {
  it.each(SERVER_SCENARIOS)('meets the scenario %s', async (scenario) => {
    const host = { folder, runsFolder: join(folder, 'runs'), env: {}, signal: new AbortController().signal };
    const { url, close } = await serveOverHttp(() => createMcpServer(host));
    try {
      const told = await suite(['server', '--url', url, '--scenario', scenario]);
      expect(told).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
    } finally {
      await close();
    }
  });

  it('is held to every scenario but those of which it says why not', async () => {
    const all = await scenariosOf('Server');
    const others = all.filter((name) => !NOT_OF_THIS_SERVER.some(([pattern]) => pattern.test(name)));
    expect(others.sort()).toEqual([...SERVER_SCENARIOS].sort());
  });
});
