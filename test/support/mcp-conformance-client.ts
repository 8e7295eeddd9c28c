/* What the conformance suite starts as a client: it lists the tools of the server at the address and calls each. */
import { McpWorld } from './mcp-servers.ts';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<
  string,
  string | undefined
>;
const [url = ''] = process.argv.slice(-1);
// Servers of other scenarios may answer any request with a stream that does not end.
const issuer = scenario.startsWith('auth/') ? await issuerOf(url) : url;
const oauth = { issuer, clientIdEnv: 'CLIENT_ID', clientSecretEnv: 'CLIENT_SECRET' };
const world = new McpWorld(
  {
    suite: {
      url,
      effect: 'read',
      timeoutMs: 10_000,
      ...(context['client_secret'] === undefined ? {} : { oauth }),
    },
  },
  undefined,
  { ...process.env, CLIENT_ID: context['client_id'], CLIENT_SECRET: context['client_secret'] },
);
try {
  await world.open();
  const reason = world.servers.reports()[0]?.reason ?? null;
  // Its server has no tool, which is an error here by intent.
  if (reason !== null && !(scenario === 'initialize' && reason.endsWith('it lists no tool')))
    throw new Error(reason);
  for (const { spec } of world.servers.tools()) {
    const args: Record<string, number> = {};
    const { properties = {} } = spec.input as { properties?: Record<string, unknown> };
    for (const name of Object.keys(properties)) args[name] = 2;
    await world.call(spec.name, args);
  }
} finally {
  await world.close();
}

/** Where the suite gives out its tokens; its address is another in each run. */
async function issuerOf(resource: string): Promise<string> {
  const { origin, pathname } = new URL(resource);
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  if (!response.ok) return origin;
  const { authorization_servers: servers } = (await response.json()) as { authorization_servers: string[] };
  return servers[0] ?? origin;
}
