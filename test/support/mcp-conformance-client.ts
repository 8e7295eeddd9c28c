/* What the conformance suite starts as a client: it lists the tools of the server at the address and calls each. */
import type { ToolSpec } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import { mcpToolName } from '../../src/tools/mcp/tool-name.ts';
import { McpWorld } from './mcp-servers.ts';

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  /** The calls that the scenario wants made, by the names of the server. */
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: Readonly<Record<string, Json>>;
  }[];
}

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context;
/** Scenarios whose server has no tool that can be used, which is an error here by intent. */
const TOOLLESS = ['initialize', 'request-metadata', 'json-schema-ref-no-deref'];
const isToolless = TOOLLESS.includes(scenario);
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
  if (reason !== null && !(isToolless && /it lists no tool|none of the 1 tools/.test(reason)))
    throw new Error(reason);
  const specs = world.servers.tools().map(({ spec }) => spec);
  if (context.toolCalls !== undefined) {
    for (const { name, arguments: args } of context.toolCalls)
      await world.call(mcpToolName('suite', name), args);
  } else {
    for (const spec of specs) await world.call(spec.name, argumentsOf(spec, specs));
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

/** Something for each parameter: for a schema, the one that another tool was listed with. */
function argumentsOf({ name, input }: ToolSpec, specs: readonly ToolSpec[]): Record<string, Json> {
  const args: Record<string, Json> = {};
  const { properties = {} } = input as { properties?: Record<string, unknown> };
  const other = specs.find((spec) => spec.name !== name);
  for (const parameter of Object.keys(properties)) {
    args[parameter] = parameter === 'schema' && other !== undefined ? other.input : 2;
  }
  return args;
}
